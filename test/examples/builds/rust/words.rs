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

use std::hint::black_box;
use text::Letters;

fn main() {
    let line = text::Line(black_box("one two"));
    println!("{}", line.words() + text::Line(black_box("three")).words());
    println!("{}", line.letters() - text::longest(&black_box(["one", "three"])));
}
