// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
mod text {
    pub struct Line<'a>(pub &'a str);

    impl Line<'_> {
        #[inline(never)]
        pub fn words(&self) -> usize {
            self.0.split(' ').count()
        }
    }

    pub trait Letters {
        fn letters(&self) -> usize;
    }

    impl Letters for Line<'_> {
        #[inline(never)]
        fn letters(&self) -> usize {
            self.0.bytes().filter(|byte| *byte != b' ').count()
        }
    }

    #[inline(never)]
    pub fn longest<T: AsRef<str>>(words: &[T]) -> usize {
        words.iter().map(|word| word.as_ref().len()).max().unwrap_or(0)
    }
}

use text::Letters;

fn main() {
    // Empty, which the compiler does not know; Debian 12's has no black_box().
    let more = std::env::var("WORDS").unwrap_or_default();
    let line = text::Line(if more.is_empty() { "one two" } else { &more });
    println!("{}", line.words() + text::Line(if more.is_empty() { "three" } else { &more }).words());
    println!("{}", line.letters() - text::longest(&["one", if more.is_empty() { "three" } else { &more }]));
}
