//! A condition on one column as people write it: `age BETWEEN 40 AND 70`, `sex = 'F'`.
//!
//! Estimates take conditions as text, so the grammar is closed: one column, one comparison,
//! literals. Code that evaluates a condition writes SQL again from what was read, every name and
//! literal quoted; nothing of the text itself goes into a query.

mod tokens;

use tokens::{Token, Tokens};

/// A condition on one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    /// the column's name, folded to lower case unless it was quoted
    pub column: String,
    pub test: Test,
}

/// What a column's value is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    Compare(Comparison, Literal),
    Between {
        low: Literal,
        high: Literal,
        negated: bool,
    },
    In {
        values: Vec<Literal>,
        negated: bool,
    },
    Null {
        negated: bool,
    },
}

/// The comparisons that an ordered type has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
    NotEqual,
}

/// A constant, yet without a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    Text(String),
    /// digits with sign, point and exponent as they were written
    Number(String),
    Truth(bool),
}

/// Why a text is not a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// characters before the place where reading stopped
    pub position: usize,
    /// what could have stood there
    pub expected: &'static str,
}

/// What should stand behind a condition.
pub const END: &str = "the end";

/// Reads one condition; anything before or after it is refused.
pub fn parse(text: &str) -> Result<Predicate, Unreadable> {
    let mut tokens = Tokens::new(text);
    let column = match tokens.next()? {
        Some(Token::Word(name)) => name.to_ascii_lowercase(),
        Some(Token::Quoted(name)) => name,
        _ => return Err(tokens.unexpected("a column name")),
    };
    let test = test(&mut tokens)?;
    match tokens.next()? {
        None => Ok(Predicate { column, test }),
        Some(_) => Err(tokens.unexpected(END)),
    }
}

fn test(tokens: &mut Tokens) -> Result<Test, Unreadable> {
    let token = tokens.next()?;
    if let Some(comparison) = token.as_ref().and_then(comparison) {
        return Ok(Test::Compare(comparison, literal(tokens)?));
    }
    if is_keyword(&token, "is") {
        let token = tokens.next()?;
        let (negated, token) = negation(token, tokens)?;
        return match is_keyword(&token, "null") {
            true => Ok(Test::Null { negated }),
            false => Err(tokens.unexpected("NULL")),
        };
    }
    let (negated, token) = negation(token, tokens)?;
    if is_keyword(&token, "between") {
        let low = literal(tokens)?;
        keyword(tokens, "and", "AND")?;
        let high = literal(tokens)?;
        Ok(Test::Between { low, high, negated })
    } else if is_keyword(&token, "in") {
        let values = list(tokens)?;
        Ok(Test::In { values, negated })
    } else {
        Err(tokens.unexpected("a comparison, BETWEEN, IN or IS [NOT] NULL"))
    }
}

/// Whether a token is NOT, and then the one after it.
fn negation(
    token: Option<Token>,
    tokens: &mut Tokens,
) -> Result<(bool, Option<Token>), Unreadable> {
    match is_keyword(&token, "not") {
        true => Ok((true, tokens.next()?)),
        false => Ok((false, token)),
    }
}

fn list(tokens: &mut Tokens) -> Result<Vec<Literal>, Unreadable> {
    if tokens.next()? != Some(Token::Symbol("(")) {
        return Err(tokens.unexpected("a list in parentheses"));
    }
    let mut values = vec![literal(tokens)?];
    loop {
        match tokens.next()? {
            Some(Token::Symbol(",")) => values.push(literal(tokens)?),
            Some(Token::Symbol(")")) => return Ok(values),
            _ => return Err(tokens.unexpected("a comma or the end of the list")),
        }
    }
}

fn literal(tokens: &mut Tokens) -> Result<Literal, Unreadable> {
    match tokens.next()? {
        Some(Token::Text(text)) => Ok(Literal::Text(text)),
        Some(Token::Number(digits)) => Ok(Literal::Number(digits)),
        Some(Token::Symbol("-")) => match tokens.next()? {
            Some(Token::Number(digits)) => Ok(Literal::Number(format!("-{digits}"))),
            _ => Err(tokens.unexpected("a number")),
        },
        Some(Token::Word(word)) if word.eq_ignore_ascii_case("true") => Ok(Literal::Truth(true)),
        Some(Token::Word(word)) if word.eq_ignore_ascii_case("false") => Ok(Literal::Truth(false)),
        _ => Err(tokens.unexpected("a number, a quoted text, TRUE or FALSE")),
    }
}

fn comparison(token: &Token) -> Option<Comparison> {
    let Token::Symbol(symbol) = token else {
        return None;
    };
    Some(match *symbol {
        "<" => Comparison::Less,
        "<=" => Comparison::LessOrEqual,
        "=" => Comparison::Equal,
        ">=" => Comparison::GreaterOrEqual,
        ">" => Comparison::Greater,
        "<>" | "!=" => Comparison::NotEqual,
        _ => return None,
    })
}

fn is_keyword(token: &Option<Token>, keyword: &str) -> bool {
    matches!(token, Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword))
}

fn keyword(tokens: &mut Tokens, keyword: &str, expected: &'static str) -> Result<(), Unreadable> {
    match is_keyword(&tokens.next()?, keyword) {
        true => Ok(()),
        false => Err(tokens.unexpected(expected)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(digits: &str) -> Literal {
        Literal::Number(digits.into())
    }

    fn text(text: &str) -> Literal {
        Literal::Text(text.into())
    }

    fn column(text: &str, test: Test) -> Result<Predicate, Unreadable> {
        let column = text.into();
        Ok(Predicate { column, test })
    }

    #[test]
    fn conditions_are_read() {
        let between = Test::Between {
            low: number("40"),
            high: number("70"),
            negated: false,
        };
        assert_eq!(parse("age BETWEEN 40 AND 70"), column("age", between));
        let equal = Test::Compare(Comparison::Equal, text("it's"));
        assert_eq!(parse(" Disease='it\'\'s' "), column("disease", equal));
        let not_in = Test::In {
            values: vec![number("-1.5e3"), Literal::Truth(true)],
            negated: true,
        };
        assert_eq!(
            parse("\"A\"\"b\" not in (-1.5e3, true)"),
            column("A\"b", not_in)
        );
        assert_eq!(
            parse("x is NOT null"),
            column("x", Test::Null { negated: true })
        );
        let unequal = Test::Compare(Comparison::NotEqual, number(".5"));
        assert_eq!(parse("x!=.5"), column("x", unequal));
    }

    #[test]
    fn more_than_one_condition_is_refused() {
        for text in [
            "",
            "age",
            "age = ",
            "age = 1 OR 1 = 1",
            "age = 1; DROP TABLE patient",
            "age = 1 -- rest",
            "age = 1 /* rest */",
            "1 = 1",
            "age = (SELECT 1)",
            "age = pg_sleep(1)",
            "age = NULL",
            "age = 1::text",
            "age = E'\\''",
            "age = $$1$$",
            "age = U&'1'",
            "t.age = 1",
            "age @> 1",
            "age IN ()",
            "age IN (1",
            "age IS TRUE",
            "age BETWEEN 1",
            "age = 'x",
            "\"age = 1",
            "\"\" = 1",
            "age = 12abc",
            "age = 1.2.3",
            "age = 1e",
            "age = - 'x'",
            "age = 'x' 'y'",
            "age = 'a\0b'",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let position = parse("größe == 1").map_err(|error| error.position);
        assert_eq!(position, Err(7));
    }

    fn written(predicate: &Predicate) -> String {
        let literal = |literal: &Literal| match literal {
            Literal::Text(text) => format!("'{}'", text.replace('\'', "''")),
            Literal::Number(digits) => digits.clone(),
            Literal::Truth(truth) => truth.to_string(),
        };
        let not = |negated: bool| if negated { "NOT " } else { "" };
        let column = predicate.column.replace('"', "\"\"");
        let test = match &predicate.test {
            Test::Compare(comparison, value) => {
                let symbols = ["<", "<=", "=", ">=", ">", "<>"];
                format!("{} {}", symbols[*comparison as usize], literal(value))
            }
            Test::Between { low, high, negated } => {
                format!(
                    "{}BETWEEN {} AND {}",
                    not(*negated),
                    literal(low),
                    literal(high)
                )
            }
            Test::In { values, negated } => {
                let values: Vec<String> = values.iter().map(literal).collect();
                format!("{}IN ({})", not(*negated), values.join(", "))
            }
            Test::Null { negated } => format!("IS {}NULL", not(*negated)),
        };
        format!("\"{column}\" {test}")
    }

    proptest! {
        #[test]
        fn what_is_read_can_be_written_and_read_again(text in "[a-z]{1,3} ?(=|<>|<|>=|NOT IN|IN|BETWEEN|IS NOT NULL)? ?\\(?('[a-z'\";]{0,4}'|-?[0-9.]{1,4}) ?(AND|,)? ?([0-9e]{0,3})\\)?") {
            if let Ok(predicate) = parse(&text) {
                prop_assert_eq!(parse(&written(&predicate)), Ok(predicate));
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,30}") {
            let length = text.chars().count();
            if let Err(error) = parse(&text) {
                prop_assert!(error.position <= length);
            }
        }
    }
}
