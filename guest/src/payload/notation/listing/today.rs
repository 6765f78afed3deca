//! The years that `ls` leaves out: those of the last months.

use jiff::civil::Date;
use jiff::{Span, Timestamp};

/// Months that may have passed since. `ls` writes the year of what is older than half a year.
const MOST_MONTHS: i64 = 7;

/// A listing may come from a time zone where it is tomorrow.
const MOST_DAYS_AHEAD: i64 = 1;

/// The day on which a listing was made.
pub(super) struct Today {
    earliest: Date,
    latest: Date,
}

impl Today {
    /// The day of a moment, in milliseconds since 1970.
    pub(super) fn of(milliseconds: u64) -> Option<Self> {
        let moment = Timestamp::from_millisecond(i64::try_from(milliseconds).ok()?).ok()?;
        let today = jiff::tz::Offset::UTC.to_datetime(moment).date();
        let earliest = today.checked_sub(Span::new().months(MOST_MONTHS)).ok()?;
        let latest = today.checked_add(Span::new().days(MOST_DAYS_AHEAD)).ok()?;
        Some(Self { earliest, latest })
    }

    /// The year of a day in the last months; `None` for any other day.
    pub(super) fn year_of(&self, month: usize, day: &str) -> Option<i16> {
        let (month, day) = (i8::try_from(month).ok()?, day.parse().ok()?);
        let is_near =
            |year: &i16| Date::new(*year, month, day).is_ok_and(|date| (self.earliest..=self.latest).contains(&date));
        [self.latest.year(), self.earliest.year()].into_iter().find(is_near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_the_year_that_makes_it_recent() {
        // 2026-11-28, 2027-01-01, 2028-03-01, each at noon.
        let rows = [
            (1_795_867_200_000, 11, "28", Some(2026)),
            (1_795_867_200_000, 11, "29", Some(2026)),
            (1_795_867_200_000, 11, "30", None),
            (1_795_867_200_000, 4, "28", Some(2026)),
            (1_795_867_200_000, 4, "27", None),
            (1_798_804_800_000, 12, "31", Some(2026)),
            (1_798_804_800_000, 1, "1", Some(2027)),
            (1_798_804_800_000, 2, "1", None),
            (1_835_524_800_000, 2, "29", Some(2028)),
            (1_795_867_200_000, 2, "30", None),
            (1_795_867_200_000, 0, "1", None),
            (1_795_867_200_000, 13, "1", None),
            (1_795_867_200_000, 11, "x", None),
        ];
        for (now, month, day, expected) in rows {
            assert_eq!(Today::of(now).unwrap().year_of(month, day), expected, "{now} {month} {day}");
        }
        assert!(Today::of(u64::MAX).is_none() && Today::of(0).is_some());
    }
}
