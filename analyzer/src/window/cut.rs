//! Where a trace is cut.

use std::ops::Range;

use super::error::WindowError;

/// How a trace is cut: every window has so many events, and so many in common with the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    size: u32,
    overlap: u32,
}

/// A stretch of the observed order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Which, from 0.
    pub number: usize,
    /// Its events, by position in the observed order. Of a run recorded under TSO or PSO, a window that would begin
    /// inside an atomic region begins with the region.
    pub events: Range<u32>,
}

impl Cut {
    /// Windows of `size` events, `overlap` of them shared with the next; `size` must be larger.
    pub fn new(size: u32, overlap: u32) -> Result<Cut, WindowError> {
        if overlap >= size {
            return Err(WindowError::Overlap { size, overlap });
        }
        Ok(Cut { size, overlap })
    }

    /// Events of a window.
    pub fn size(self) -> u32 {
        self.size
    }

    /// Events that two neighbours have in common.
    pub fn overlap(self) -> u32 {
        self.overlap
    }

    /// The windows of so many events: the last one ends with them, and may be shorter.
    pub fn windows(self, events: u32) -> impl Iterator<Item = Window> {
        let step = self.size - self.overlap;
        let shared = events.saturating_sub(self.overlap).max(1);
        (0..shared.div_ceil(step)).map(move |number| {
            let start = number * step;
            let end = start.saturating_add(self.size).min(events);
            Window { number: number as usize, events: start..end }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_everything_and_every_stretch_of_the_overlap() {
        for size in 1..9 {
            for overlap in 0..size {
                let cut = Cut::new(size, overlap).expect("the overlap is smaller");
                for events in 0..40 {
                    let windows: Vec<Window> = cut.windows(events).collect();
                    assert_eq!(windows[0].events.start, 0);
                    assert_eq!(windows[windows.len() - 1].events.end, events);
                    for pair in windows.windows(2) {
                        assert_eq!(pair[0].events.end - pair[1].events.start, overlap);
                        assert!(pair[0].events.end < pair[1].events.end, "every window gets ahead");
                    }
                    for from in 0..events.saturating_sub(overlap) {
                        let near = |window: &&Window| {
                            window.events.start <= from && from + overlap < window.events.end
                        };
                        assert!(
                            windows.iter().any(|window| near(&window)),
                            "{size} {overlap} {events} {from}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_window_that_is_large_enough_is_the_only_one() {
        let cut = Cut::new(10, 5).expect("the overlap is smaller");
        assert_eq!(cut.windows(10).count(), 1);
        assert_eq!(cut.windows(11).count(), 2);
    }

    #[test]
    fn an_overlap_as_large_as_the_window_is_refused() {
        assert_eq!(Cut::new(5, 5), Err(WindowError::Overlap { size: 5, overlap: 5 }));
        assert!(Cut::new(0, 0).is_err());
    }
}
