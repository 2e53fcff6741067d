//! What a text in a release stands for: "[20,30)" the numbers from 20 to 29, "{DE,FR}" one of two
//! countries, "1999-05" the days of a month, "*" anything.

use crate::read::numbers::Number;
use sdc_engine::measure::utility::Meaning;

/// The scale of a numeric column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NumberScale {
    /// whole numbers: "[20,30)" ends at 29
    Whole,
    Real,
    /// days since 2000-01-01
    Days,
    /// seconds since then
    Seconds,
}

impl NumberScale {
    /// The scale of a type; `None` for categories, and for intervals, which are read as such.
    pub fn of(kind: Number) -> Option<Self> {
        Some(match kind {
            Number::Int2 | Number::Int4 | Number::Int8 => NumberScale::Whole,
            Number::Float4 | Number::Float8 | Number::Numeric => NumberScale::Real,
            Number::Date => NumberScale::Days,
            Number::Timestamp => NumberScale::Seconds,
            Number::Interval => return None,
        })
    }

    /// How many units make a day, where the scale is one of time.
    pub fn per_day(self) -> Option<f64> {
        match self {
            NumberScale::Days => Some(1.0),
            NumberScale::Seconds => Some(86_400.0),
            NumberScale::Whole | NumberScale::Real => None,
        }
    }

    /// The meaning of a text.
    pub fn meaning(self, text: &str) -> Meaning {
        let text = text.trim();
        let meaning = self.value(text).or_else(|| self.range(text));
        let meaning = meaning.or_else(|| self.set(text));
        let meaning = meaning.filter(|(low, high)| low.is_finite() && high.is_finite());
        match meaning {
            Some((low, high)) if low <= high => Meaning::Range { low, high },
            _ => Meaning::Lost,
        }
    }

    /// One value, or a unit of time.
    fn value(self, text: &str) -> Option<(f64, f64)> {
        match self {
            NumberScale::Whole | NumberScale::Real => {
                let number = text.parse::<f64>().ok()?;
                Some((number, number))
            }
            NumberScale::Days => days(text),
            NumberScale::Seconds => seconds(text).or_else(|| {
                let (first, last) = days(text)?;
                Some((first * 86_400.0, (last + 1.0) * 86_400.0))
            }),
        }
    }

    /// A range as PostgreSQL writes it, or two numbers with a dash between.
    fn range(self, text: &str) -> Option<(f64, f64)> {
        let open = text.strip_prefix(['[', '(']);
        let Some(inner) = open.and_then(|text| text.strip_suffix([']', ')'])) else {
            return self.dashed(text);
        };
        let (low, high) = inner.split_once(',')?;
        let unquoted = |end: &str| end.trim().trim_matches('"').to_string();
        let (low, high) = (
            self.value(&unquoted(low))?.0,
            self.value(&unquoted(high))?.1,
        );
        let discrete = matches!(self, NumberScale::Whole | NumberScale::Days);
        let step = |open: bool| if open && discrete { 1.0 } else { 0.0 };
        let (low, high) = (
            low + step(text.starts_with('(')),
            high - step(text.ends_with(')')),
        );
        Some((low, high))
    }

    /// Two numbers with a dash between, as ARX writes them.
    fn dashed(self, text: &str) -> Option<(f64, f64)> {
        let dash = text.char_indices().skip(1).find(|&(_, c)| c == '-')?.0;
        let (low, high) = (&text[..dash], &text[dash + 1..]);
        match self {
            NumberScale::Whole | NumberScale::Real => {
                Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
            }
            NumberScale::Days | NumberScale::Seconds => None,
        }
    }

    /// Several values: what lies between them.
    fn set(self, text: &str) -> Option<(f64, f64)> {
        let ends = elements(text)?
            .into_iter()
            .map(|element| self.value(&element?));
        ends.reduce(|a, b| Some((a?.0.min(b?.0), a?.1.max(b?.1))))?
    }
}

/// The first and the last day that a text names: a day, month, quarter, year or decade.
fn days(text: &str) -> Option<(f64, f64)> {
    let year = |text: &str| {
        let digits = text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<i64>().ok()).flatten()
    };
    let span = |from: (i64, i64), to: (i64, i64)| {
        Some((
            day_number(from.0, from.1, 1),
            day_number(to.0, to.1, 1) - 1.0,
        ))
    };
    if let Some(decade) = text.strip_suffix('s').and_then(year) {
        return span((decade, 1), (decade + 10, 1));
    }
    let mut parts = text.split('-');
    let year = year(parts.next()?)?;
    let Some(second) = parts.next() else {
        return span((year, 1), (year + 1, 1));
    };
    if let Some(quarter) = second.strip_prefix('Q') {
        let first = quarter.parse::<i64>().ok()? * 3 - 2;
        return span((year, first), (year, first + 3));
    }
    let month = second
        .parse::<i64>()
        .ok()
        .filter(|month| (1..=12).contains(month))?;
    match parts.next() {
        None => span((year, month), (year, month + 1)),
        Some(day) => {
            let day = day_number(year, month, day.parse().ok()?);
            parts.next().is_none().then_some((day, day))
        }
    }
}

/// A time of day, or the hour or minute that a text names.
fn seconds(text: &str) -> Option<(f64, f64)> {
    let (day, time) = text.split_once([' ', 'T'])?;
    let day = days(day).filter(|(first, last)| first == last)?.0;
    let zone = time.find(['+', '-', 'Z']).unwrap_or(time.len());
    let mut parts = time[..zone].split(':').map(|part| part.parse::<f64>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next();
    let at = day * 86_400.0 + hour * 3600.0 + minute * 60.0;
    match second {
        Some(second) => Some((at + second?, at + second?)),
        None => Some((at, at + 60.0)),
    }
}

/// Days since 2000-01-01 (proleptic Gregorian; months may run past the year's end).
fn day_number(year: i64, month: i64, day: i64) -> f64 {
    let (year, month) = (
        year + (month - 1).div_euclid(12),
        (month - 1).rem_euclid(12) + 1,
    );
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    (days - 730_425) as f64
}

/// The elements of an array's text, `None` for NULL; `None` for what is not an array.
pub fn elements(text: &str) -> Option<Vec<Option<String>>> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut elements = Vec::new();
    let (mut element, mut quoted, mut was_quoted) = (String::new(), false, false);
    let mut characters = inner.chars();
    loop {
        match characters.next() {
            Some('\\') => element.extend(characters.next()),
            Some('"') => {
                quoted = !quoted;
                was_quoted = true;
            }
            Some(character) if quoted || character != ',' => element.push(character),
            end => {
                let text = std::mem::take(&mut element);
                let null = !was_quoted && text == "NULL";
                elements.push((!null).then_some(text));
                was_quoted = false;
                if end.is_none() {
                    return Some(elements);
                }
            }
        }
    }
}
