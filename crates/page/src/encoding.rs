//! Pages that pass through any encoding unharmed.

use std::fmt::Write;

/// The same page in ASCII: every other character as a reference.
pub fn plain_ascii(page: &str) -> String {
    let mut plain = String::with_capacity(page.len());
    for character in page.chars() {
        match character.is_ascii() {
            true => plain.push(character),
            // writing to a string does not fail
            false => drop(write!(plain, "&#{};", u32::from(character))),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_characters_become_references() {
        assert_eq!(plain_ascii("a – ü 😀"), "a &#8211; &#252; &#128512;");
    }
}
