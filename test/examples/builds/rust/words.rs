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
    // The variable is never set, which the compiler cannot know. Debian 12 has no
    // black_box().
    let given = std::env::var("WORDS").unwrap_or_default();
    let or_given = |text| if given.is_empty() { text } else { given.as_str() };
    let line = text::Line(or_given("one two"));
    println!("{}", line.words() + text::Line(or_given("three")).words());
    println!("{}", line.letters() - text::longest(&["one", or_given("three")]));
}
