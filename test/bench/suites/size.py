# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""size: the size of patchable functions in real programs, compared with other designs."""
from harness import elf, real
from harness.systems import systems
from harness.weigh import weigh

SYSTEMS = ("baseline", "kcfi", "ours", "ours-without-kcfi", "pfe=5+kcfi",
           "pfe=21,16+kcfi", "xray+kcfi")


def run(bench):
    table = systems(bench.tools.product("patchbay-pass.so"))
    for name in bench.programs:
        images = real.images(bench.tools, name)
        # With --quick, use the image with the fewest files.
        image = min(images, key=lambda i: len(i.units)) if bench.quick else images[0]
        sizes = {system: elf.measure(real.build(bench.tools, name, image, table[system]))
                 for system in SYSTEMS}
        weigh(image.name, sizes, table, sizes["baseline"].functions, bench.report)
