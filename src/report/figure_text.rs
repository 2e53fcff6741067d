//! Figures of columns as a reader expects them: dates as dates, times as times.

use crate::release::{ComparedFigure, NumberScale};
use sdc_page::format::{date, figure};

const DAY: f64 = 86_400.0;

/// A figure of a column before or after.
pub fn shown(compared: &ComparedFigure, number: Option<f64>) -> String {
    let Some(number) = number else {
        return "–".to_string();
    };
    let (place, width) = (
        ["mean", "median"].contains(&compared.measure),
        compared.measure == "sd",
    );
    match compared.scale {
        Some(NumberScale::Days) if place => date(number),
        Some(NumberScale::Seconds) if place => moment(number.round()),
        Some(NumberScale::Days) if width => days(number),
        Some(NumberScale::Seconds) if width => duration(number),
        Some(NumberScale::Span) if place || width => duration(number),
        _ => figure(number),
    }
}

/// A date and a time of day, given in seconds since 2000-01-01.
fn moment(seconds: f64) -> String {
    let second = seconds.rem_euclid(DAY) as u32;
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let day = date(seconds / DAY);
    format!("{day} {hour:02}:{minute:02}:{:02}", second % 60)
}

fn days(days: f64) -> String {
    format!("{} days", figure(days))
}

/// Seconds in the largest unit of which there is one at least.
fn duration(seconds: f64) -> String {
    match seconds.abs() {
        long if long >= DAY => days(seconds / DAY),
        long if long >= 3600.0 => format!("{} h", figure(seconds / 3600.0)),
        long if long >= 60.0 => format!("{} min", figure(seconds / 60.0)),
        _ => format!("{} s", figure(seconds)),
    }
}
