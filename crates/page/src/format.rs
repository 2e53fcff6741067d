//! Numbers and names as a page shows them.

/// A whole number with its thousands apart: 1,234,567.
pub fn whole(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    match number < 0 {
        true => format!("-{text}"),
        false => text,
    }
}

/// A figure to four significant digits, without zeros at its end.
pub fn figure(number: f64) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    if number.abs() >= 1e15 || (number != 0.0 && number.abs() < 1e-6) {
        return format!("{number:.3e}");
    }
    let magnitude = number.abs().log10().floor().max(-6.0);
    let decimals = if number == 0.0 { 0.0 } else { 3.0 - magnitude };
    let rounded = format!("{number:.*}", decimals.max(0.0) as usize);
    if !rounded.contains('.') {
        return whole(rounded.parse().unwrap_or(0));
    }
    let rounded = rounded.trim_end_matches('0').trim_end_matches('.');
    let (integer, fraction) = rounded.split_once('.').unwrap_or((rounded, ""));
    match (integer.len() > 3, fraction.is_empty()) {
        (true, true) => whole(integer.parse().unwrap_or(0)),
        _ => rounded.to_string(),
    }
}

/// A time in seconds to two digits; what is shorter than its clock can tell is not counted.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        short if short < 0.01 => "under 0.01".into(),
        short if short < 1.0 => format!("{short:.2}"),
        short if short < 10.0 => format!("{short:.1}"),
        long => format!("{long:.0}"),
    }
}

/// The date so many days after 2000-01-01, as PostgreSQL counts days: 1999-12-31 for -0.5.
pub fn date(days: f64) -> String {
    // eras of 400 years from 0000-03-01 on, so that a leap day ends its year
    const DAYS_OF_ERA: i64 = 146_097;
    let day = days.floor() as i64 + 730_425;
    let (era, of_era) = (day.div_euclid(DAYS_OF_ERA), day.rem_euclid(DAYS_OF_ERA));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12 + 1;
    let year = 400 * era + year + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A figure with two decimals, so that figures stand below each other; no zero with a sign.
pub fn two_decimals(number: f64) -> String {
    let text = format!("{number:.2}");
    match text == "-0.00" {
        true => "0.00".into(),
        false => text,
    }
}

/// A percentage to three significant digits, where 100 is the whole; it does not break.
pub fn percent(number: f64) -> String {
    let number = number + 0.0; // no zero with a sign
    let decimals = match number.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{number:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    match text {
        "0" if number > 0.0 => "below 0.001\u{a0}%".into(),
        "-0" if number < 0.0 => "just below 0\u{a0}%".into(),
        "100" if number < 100.0 => "above 99.9\u{a0}%".into(),
        _ => format!("{text}\u{a0}%"),
    }
}

/// A share of the whole as a percentage.
pub fn share(part: i64, all: i64) -> String {
    percent(100.0 * part as f64 / all.max(1) as f64)
}

/// The beginning of a text that is too long for a chart.
pub fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_string(),
    }
}

/// "1 group", "2 groups".
pub fn number_of(count: i64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{} {what}s", whole(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_two_digits() {
        let cases = [
            (0.0006392, "under 0.01"),
            (0.0449, "0.04"),
            (0.6392, "0.64"),
        ];
        let longer = [(1.26, "1.3"), (12.6, "13")];
        for (number, text) in cases.into_iter().chain(longer) {
            assert_eq!(seconds(number), text);
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, text) in [
            (0.0, "2000-01-01"),
            (-0.5, "1999-12-31"),
            (59.9, "2000-02-29"),
            (60.0, "2000-03-01"),
            (-9298.0, "1974-07-18"),
            (36_584.0, "2100-03-01"),
            (-730_119.0, "0001-01-01"),
        ] {
            assert_eq!(date(days), text, "{days}");
        }
    }

    #[test]
    fn numbers_are_short_and_readable() {
        let cases = [
            (0.0, "0"),
            (5.0, "5"),
            (1.3333333, "1.333"),
            (0.000123456, "0.0001235"),
            (1234567.0, "1,234,567"),
            (12345.678, "12,346"),
            (-2.5, "-2.5"),
            (1e300, "1.000e300"),
            (f64::INFINITY, "inf"),
        ];
        for (number, text) in cases {
            assert_eq!(figure(number), text);
        }
        assert_eq!(whole(i64::MIN), "-9,223,372,036,854,775,808");
        assert_eq!(whole(999), "999");
    }

    #[test]
    fn percentages_keep_three_digits_and_never_hide_a_rest() {
        let cases = [
            (100.0, "100 %"),
            (12.345, "12.3 %"),
            (50.0, "50 %"),
            (0.25, "0.25 %"),
            (0.0, "0 %"),
            (0.00001, "below 0.001 %"),
            (-0.00001, "just below 0 %"),
            (-0.0, "0 %"),
            (99.9, "99.9 %"),
            (99.96, "above 99.9 %"),
            (100.4, "100 %"),
            (-12.34, "-12.3 %"),
        ];
        for (number, text) in cases {
            assert_eq!(percent(number).replace('\u{a0}', " "), text);
        }
        assert_eq!(share(1, 0), "100\u{a0}%");
    }

    #[test]
    fn long_texts_end_in_dots() {
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("äöü", 3), "äöü");
    }
}
