//! Writes a trace as text.

mod event;
mod expr;
mod names;
mod tables;

use std::io::{BufWriter, Write};

use super::error::PrintError;
use super::lex::push;
use super::words::{Closing, NumberedWord, Setting, Word};
use super::{MAGIC, VERSION, lex};
use crate::header::{Clock, Footer, Header, Outcome};
use crate::ids::StringId;
use crate::order::{Order, Ticket};
use crate::trace::Trace;
use expr::ExprPrinter;
use names::Names;

/// Writes the trace; [`parse`](super::parse()) reads it back as [`Trace::canonical`] of it.
pub fn print(trace: &Trace, out: &mut impl Write) -> Result<(), PrintError> {
    trace.check()?;
    let out = &mut BufWriter::new(out);
    let names = Names::new(trace);
    let mut printer = Printer { trace, exprs: ExprPrinter::new(trace), names, line: String::new() };
    printer.header(&trace.header);
    printer.tables();
    out.write_all(printer.line.as_bytes())?;
    printer.events(out)?;
    printer.line.clear();
    if let Some(footer) = &trace.footer {
        printer.footer(footer);
    }
    out.write_all(printer.line.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// The text under way. Events are written out line by line; what stands around them is short enough to keep.
struct Printer<'a> {
    trace: &'a Trace,
    names: Names,
    exprs: ExprPrinter<'a>,
    line: String,
}

impl Printer<'_> {
    fn header(&mut self, header: &Header) {
        push(&mut self.line, format_args!("{MAGIC} {VERSION}\n"));
        let default = Header::default();
        if header.program != default.program || !header.arguments.is_empty() {
            self.begin(Setting::Program);
            self.quoted(header.program.as_bytes());
            for argument in &header.arguments {
                self.quoted(argument);
            }
            self.end_line();
        }
        if !header.build_id.is_empty() {
            self.begin(Setting::BuildId);
            self.line.push(' ');
            for byte in &header.build_id {
                push(&mut self.line, format_args!("{byte:02x}"));
            }
            self.end_line();
        }
        if header.tracer != default.tracer || header.tracer_version != default.tracer_version {
            self.begin(Setting::Tracer);
            self.quoted(header.tracer.as_bytes());
            self.quoted(header.tracer_version.as_bytes());
            self.end_line();
        }
        match header.clock {
            Clock::None => {}
            Clock::Virtual => self.setting(Setting::Clock, "virtual"),
            Clock::Real(start) => self.setting(Setting::Clock, &format!("real {start}")),
        }
        if header.order != default.order {
            self.setting(Setting::Order, header.order.word());
        }
        if header.model != default.model {
            self.setting(Setting::Model, header.model.word());
        }
        if header.values != default.values {
            self.setting(Setting::Values, header.values.word());
        }
    }

    fn events(&mut self, out: &mut impl Write) -> Result<(), PrintError> {
        let trace = self.trace;
        let mut tickets: Vec<&[Ticket]> = match &trace.order {
            Order::Total(_) => Vec::new(),
            Order::Tickets(tickets) => tickets.iter().map(Vec::as_slice).collect(),
        };
        for (thread, index, event) in trace.listing() {
            self.line.clear();
            self.event(thread, index, event);
            if let Some(waiting) = tickets.get_mut(thread.index())
                && let Some((ticket, rest)) = waiting.split_first()
                && ticket.event == index
            {
                push(&mut self.line, format_args!(" ^{}", ticket.number));
                *waiting = rest;
            }
            self.end_line();
            out.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    fn footer(&mut self, footer: &Footer) {
        self.begin(Closing::Outcome);
        match footer.outcome {
            Outcome::Exited(status) => push(&mut self.line, format_args!(" exited {status}")),
            Outcome::Failed(kind) => {
                self.line.push_str(" failed");
                self.numbered(kind);
            }
            Outcome::Stopped => self.line.push_str(" stopped"),
            Outcome::Unknown => self.line.push_str(" unknown"),
        }
        self.end_line();
        for &(what, count) in &footer.approximations {
            self.begin(Closing::Approximated);
            self.string(what);
            push(&mut self.line, format_args!(" {count}"));
            self.end_line();
        }
    }

    /// The first word of a line.
    fn begin(&mut self, word: impl Word) {
        self.line.push_str(word.word());
    }

    fn setting(&mut self, setting: Setting, word: &str) {
        push(&mut self.line, format_args!("{} {word}\n", setting.word()));
    }

    fn word(&mut self, word: impl Word) {
        self.line.push(' ');
        self.line.push_str(word.word());
    }

    fn numbered(&mut self, word: impl NumberedWord) {
        let (word, number) = word.word();
        push(&mut self.line, format_args!(" {word}"));
        if let Some(number) = number {
            push(&mut self.line, format_args!(" {number}"));
        }
    }

    fn number(&mut self, number: impl Into<u128>) {
        self.line.push(' ');
        lex::write_number(&mut self.line, number.into());
    }

    fn quoted(&mut self, bytes: &[u8]) {
        self.line.push(' ');
        lex::write_quoted(&mut self.line, bytes);
    }

    fn string(&mut self, id: StringId) {
        let trace = self.trace;
        self.quoted(&trace.tables.strings()[id.index()]);
    }

    /// A name without quotes if it can do without.
    fn name(&mut self, id: StringId) {
        let trace = self.trace;
        self.line.push(' ');
        lex::write_name(&mut self.line, &trace.tables.strings()[id.index()]);
    }

    fn end_line(&mut self) {
        self.line.push('\n');
    }
}
