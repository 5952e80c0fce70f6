// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the lowest contrast (WCAG 2) between the page's text and its background,
// including coloured boxes and their labels. Runs in the page.
(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = color => {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const luminance = color => {
    const [r, g, b] = [...rgb(color)].slice(0, 3).map(n => n / 255)
      .map(n => n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue("--" + name).trim();
  const pairs = [["text", "back"], ["text", "panel"], ["text", "loss"], ["quiet", "back"], ["quiet", "panel"],
                 ["accent", "back"], ["accent", "panel"], ["loss-line", "back"], ["back", "mark"]]
    .map(([a, b]) => [a + " on " + b, of(a), of(b)]);
  for (let hue = 0; hue < 360; hue += 5)
    pairs.push(["label on hue " + hue, "#111", `hsl(${hue},${of("box-s")},${of("box-l")})`]);
  const [what, least] = pairs.map(([name, a, b]) => [name, contrast(a, b)]).sort((x, y) => x[1] - y[1])[0];
  return (least >= 4.5 ? "enough" : "too little") + ": " + what + " " + least.toFixed(2);
})()
