//! What a list of growers can say, and what it cannot: it depends on how many snapshots there are and of what.

use crate::heap::series::Series;

const SINGLE: &str = "one snapshot cannot show growth: what is told of it is what is big and who holds it";
const TWO: &str = "two snapshots show that something grew, not that it goes on growing: a cache that fills looks the same; take \
                   at least one more under the same load";
const SERIES: &str = "what is listed grew in every snapshot and not less at the end; by chance one of six steady values does so over \
                      three snapshots, one of 24 over four; what the profiler itself keeps is left out where it can be told";
const DIFFERENT: &str = "these are different processes or builds, so growth is told by class and way only: an object of one snapshot \
                         cannot be found in another";
const REPEATED: &str = "a snapshot was passed twice, so nothing can be said about growth";
const OTHER_ORDER: &str =
    "the snapshots were kept in an order in which they were not taken, so growth may be told backwards";

/// Every text of this file.
pub(super) const ALL: [&str; 6] = [SINGLE, TWO, SERIES, DIFFERENT, REPEATED, OTHER_ORDER];

pub(super) fn of(series: &Series, snapshots: usize) -> &'static str {
    match series {
        Series::Single => SINGLE,
        Series::InOrder | Series::Given if snapshots < 3 => TWO,
        Series::InOrder | Series::Given => SERIES,
        Series::Different => DIFFERENT,
        Series::Repeated => REPEATED,
        Series::OutOfOrder(_) => OTHER_ORDER,
    }
}
