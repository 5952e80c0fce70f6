// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
mod text {
    #[inline(never)]
    pub fn words(line: &str) -> usize {
        line.split(' ').count()
    }
}

fn main() {
    println!("{}", text::words("one two") + text::words("three"));
}
