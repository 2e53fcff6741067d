//! What masking did to the data: `sdc.compare`, `sdc.assert_utility` and `sdc.query_error`. The
//! figures are those of [`compare`](crate::compare), which the report shows, too.

mod utility_functions;
mod utility_limits;
