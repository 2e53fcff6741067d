//! The words of a condition.

use super::Unreadable;
use std::iter::Peekable;
use std::str::Chars;

/// What a text is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// an unquoted name or a keyword, as written
    Word(String),
    /// a name in double quotes
    Quoted(String),
    /// a text in single quotes
    Text(String),
    /// digits with point and exponent, without sign
    Number(String),
    Symbol(&'static str),
}

/// Longer symbols come first.
const SYMBOLS: [&str; 11] = ["<=", ">=", "<>", "!=", "<", ">", "=", "(", ")", ",", "-"];

/// Takes a text apart, token by token.
pub(super) struct Tokens<'a> {
    rest: Peekable<Chars<'a>>,
    position: usize,
    /// where the last token began
    start: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Tokens {
            rest: text.chars().peekable(),
            position: 0,
            start: 0,
        }
    }

    /// The next token; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token>, Unreadable> {
        self.take_while(|c| c.is_ascii_whitespace());
        self.start = self.position;
        let Some(&first) = self.rest.peek() else {
            return Ok(None);
        };
        let token = match first {
            '\'' => Token::Text(self.quoted('\'')?),
            '"' => match self.quoted('"')? {
                name if name.is_empty() => return Err(self.unexpected("a column name")),
                name => Token::Quoted(name),
            },
            c if c.is_ascii_digit() || c == '.' => Token::Number(self.number()?),
            c if is_name_start(c) => Token::Word(self.word()?),
            _ => Token::Symbol(self.symbol()?),
        };
        Ok(Some(token))
    }

    /// The error that the last token is not what it should be.
    pub(super) fn unexpected(&self, expected: &'static str) -> Unreadable {
        Unreadable {
            position: self.start,
            expected,
        }
    }

    fn advance(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.position += usize::from(next.is_some());
        next
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(c) = self.rest.next_if(|&c| wanted(c)) {
            self.position += 1;
            taken.push(c);
        }
        taken
    }

    /// A text between quotes, a doubled quote standing for one. PostgreSQL has no zero
    /// character in texts.
    fn quoted(&mut self, quote: char) -> Result<String, Unreadable> {
        self.advance();
        let mut text = String::new();
        loop {
            match self.advance() {
                None | Some('\0') => return Err(self.unexpected("a closing quote")),
                Some(c) if c != quote => text.push(c),
                Some(_) if self.rest.peek() == Some(&quote) => {
                    self.advance();
                    text.push(quote);
                }
                Some(_) => return Ok(text),
            }
        }
    }

    /// A name directly before a quote would be a prefixed literal as in E'…', which are left out.
    fn word(&mut self) -> Result<String, Unreadable> {
        let word = self.take_while(|c| is_name_start(c) || c.is_ascii_digit());
        match self.rest.peek() {
            Some('\'' | '"' | '$' | '&') => Err(self.unexpected("a plain word")),
            _ => Ok(word),
        }
    }

    fn number(&mut self) -> Result<String, Unreadable> {
        let mut number = self.take_while(|c| c.is_ascii_digit());
        let mut digits = number.len();
        if self.rest.peek() == Some(&'.') {
            number.extend(self.advance());
            let fraction = self.take_while(|c| c.is_ascii_digit());
            digits += fraction.len();
            number.push_str(&fraction);
        }
        if matches!(self.rest.peek(), Some('e' | 'E')) {
            number.extend(self.advance());
            let sign = self.rest.next_if(|&c| c == '-' || c == '+');
            self.position += usize::from(sign.is_some());
            number.extend(sign);
            let exponent = self.take_while(|c| c.is_ascii_digit());
            digits *= usize::from(!exponent.is_empty());
            number.push_str(&exponent);
        }
        match self.rest.peek() {
            Some(&c) if is_name_start(c) || c == '.' => Err(self.unexpected("a number")),
            _ if digits == 0 => Err(self.unexpected("a number")),
            _ => Ok(number),
        }
    }

    fn symbol(&mut self) -> Result<&'static str, Unreadable> {
        let text: String = self.rest.clone().take(2).collect();
        let found = SYMBOLS.iter().find(|symbol| text.starts_with(**symbol));
        let Some(symbol) = found else {
            return Err(self.unexpected("a comparison or a literal"));
        };
        for _ in symbol.chars() {
            self.advance();
        }
        Ok(symbol)
    }
}

/// Letters of any script, as in PostgreSQL's unquoted names.
fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || !c.is_ascii()
}
