//! From records to the events of a trace.
//!
//! Each record is handed to the interpreter of its thread and, if others can notice it, becomes an event: an access to a
//! location that the plan calls shared, and everything that synchronises. What the thread decided about symbolic values on
//! its way becomes events, too.

mod accesses;
mod atomic;
mod check;
mod ending;
mod events;
mod fields;
mod interrupt;
mod library;
mod line;
mod places;
mod promote;
mod sharing;
mod spin;
mod sync;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use warpath_trace::header::{Header, MemoryModel, Values};
use warpath_trace::ids::{LocationId, SourceId, StringId};
use warpath_trace::tables::TableError;
use warpath_trace::thread::Thread as Entry;
use warpath_trace::trace::Trace;

use crate::classfile::access;
use crate::interpret::{
    self, Cell, EAGER, Heap, Identities, Interpreter, Lambdas, Names, Site, State, Texts, Trouble,
};
use crate::run::{End, Sharing};
use crate::stream::{Definitions, Item, ObjectRef, Reader, Record, StreamError};
pub(crate) use sharing::Usage;

pub use check::{CheckError, check_expressions};
pub use ending::without_addresses;

/// Why a stream could not be made a trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiftError {
    /// The trace's tables are full, or a reference in it is wrong.
    #[error("the trace cannot hold more: {0}")]
    Table(#[from] TableError),
    /// An expression that makes no sense: a fault of the adapter.
    #[error(
        "the adapter built a wrong expression ({0}); this is a fault of Warpath, please report it with the program"
    )]
    Expression(#[from] warpath_trace::expr::ExprError),
}

impl From<Trouble> for LiftError {
    fn from(trouble: Trouble) -> LiftError {
        match trouble {
            Trouble::Expression(error) => LiftError::Expression(error),
            // A frame that is astray is lost where that is noticed; here nothing is left to be done.
            Trouble::Astray => LiftError::Table(TableError::Full("operands")),
        }
    }
}

/// How records become events.
#[derive(Clone, Debug)]
pub struct LiftOptions {
    /// What the trace says of itself; `values` decides whether expressions are built.
    pub header: Header,
    /// Expressions at most.
    pub max_expressions: usize,
    /// Does an exit status other than 0 count as failure?
    pub fail_on_exit: bool,
    /// Locations whose accesses are events although the agent did not know them to be shared, and made no steps of them.
    pub shared: Option<Sharing>,
    /// Interrupt flags that the agent knew to be shared, so that waits looked at them.
    pub flags: Vec<String>,
}

/// What a stream says.
pub struct Lifted {
    /// The run.
    pub trace: Trace,
    /// How it ended; `None` if the stream does not say.
    pub end: Option<End>,
    /// Locations that several threads access, one of them writing.
    pub shared: Sharing,
    /// Accesses of all threads, by the names of threads and locations.
    pub(crate) usage: Usage,
    /// Where methods are that could not be followed to their end.
    pub lost: Vec<String>,
    /// Is it a trace that a run could have which knew from the start what is shared?
    pub is_faithful: bool,
}

/// Makes a trace of what is complete in a stream, and says what is wrong with the rest.
pub fn lift(stream: &[u8], options: &LiftOptions) -> Result<(Lifted, Option<StreamError>), LiftError> {
    let mut lifter = Lifter::new(options);
    let mut reader = match Reader::new(stream) {
        Ok(reader) => reader,
        Err(error) => return Ok((lifter.finish(&Definitions::default())?, Some(error))),
    };
    let error = loop {
        match reader.next_item() {
            Ok(Some(item)) => lifter.take(reader.definitions(), &item)?,
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    lifter.close(reader.definitions())?;
    Ok((lifter.finish(reader.definitions())?, error))
}

/// The trace as it grows.
struct Lifter {
    trace: Trace,
    options: LiftOptions,
    symbolic: bool,
    heap: Heap,
    identities: Identities,
    names: Names,
    lambdas: Lambdas,
    texts: Texts,
    threads: Vec<interpret::Thread>,
    sources: FxHashMap<Site, SourceId>,
    locations: FxHashMap<Cell, LocationId>,
    sync_objects: FxHashMap<String, LocationId>,
    fields: fields::Fields,
    allocated: FxHashSet<ObjectRef>,
    usage: sharing::Usages,
    /// Writes of each thread that have not taken effect: the location and the event.
    buffers: Vec<Vec<(Cell, u32)>>,
    /// Where the agent has just put a write into the thread's buffer.
    waiting: Vec<Option<u32>>,
    spins: Vec<spin::Spin>,
    /// Permits that a thread has spoken of.
    permits: FxHashSet<(usize, LocationId)>,
    /// The initial count of each latch.
    latches: FxHashMap<ObjectRef, u64>,
    callers: library::Callers,
    /// Threads that others have interrupted.
    interrupted: BTreeSet<u32>,
    approximations: BTreeMap<String, u64>,
    promoted: promote::Promoted,
    forked: bool,
    end: Option<End>,
}

impl Lifter {
    fn new(options: &LiftOptions) -> Lifter {
        Lifter {
            trace: Trace::new(options.header.clone()),
            symbolic: options.header.values == Values::Symbolic,
            options: options.clone(),
            heap: Heap::default(),
            identities: Identities::default(),
            names: Names::default(),
            lambdas: Lambdas::default(),
            texts: Texts::default(),
            threads: Vec::new(),
            sources: FxHashMap::default(),
            locations: FxHashMap::default(),
            sync_objects: FxHashMap::default(),
            fields: fields::Fields::default(),
            allocated: FxHashSet::default(),
            usage: sharing::Usages::default(),
            buffers: Vec::new(),
            waiting: Vec::new(),
            spins: Vec::new(),
            permits: FxHashSet::default(),
            latches: FxHashMap::default(),
            callers: library::Callers::default(),
            interrupted: BTreeSet::new(),
            approximations: BTreeMap::new(),
            promoted: promote::Promoted::default(),
            forked: false,
            end: None,
        }
    }

    /// Threads that have been defined since the last record.
    fn add_threads(&mut self, definitions: &Definitions) -> Result<(), LiftError> {
        while self.threads.len() < definitions.threads().len() {
            let thread = &definitions.threads()[self.threads.len()];
            let parent = (thread.parent as usize)
                .checked_sub(1)
                .map(|at| (warpath_trace::ids::ThreadIx::from(at), thread.nth as u32));
            let mut text = |text: &str| match text {
                "" => Ok(StringId::EMPTY),
                _ => self.trace.tables.string(text),
            };
            // Of the first thread nobody could know what it would execute.
            let start = if thread.parent == 0 { "main" } else { &thread.start };
            let (start, name) = (text(start)?, text(&thread.name)?);
            self.trace.add_thread(Entry { parent, start, argument: None, name })?;
            self.threads.push(interpret::Thread::default());
            self.buffers.push(Vec::new());
            self.waiting.push(None);
            self.spins.push(spin::Spin::default());
        }
        Ok(())
    }

    fn interpreter<'a>(&'a mut self, definitions: &'a Definitions, thread: usize) -> Interpreter<'a> {
        Interpreter {
            definitions,
            pool: &mut self.trace.tables.exprs,
            heap: &mut self.heap,
            identities: &mut self.identities,
            names: &mut self.names,
            lambdas: &mut self.lambdas,
            texts: &mut self.texts,
            thread: &mut self.threads[thread],
        }
    }

    /// Adds what a record says.
    fn take(&mut self, definitions: &Definitions, item: &Item) -> Result<(), LiftError> {
        self.add_threads(definitions)?;
        let Some(t) = (item.thread as usize).checked_sub(1) else {
            self.without_thread(&item.record);
            return Ok(());
        };
        if self.end.is_some() {
            // The failure is the end of the trace; what else the program shares is still of interest.
            self.note_only(definitions, t, &item.record);
            return Ok(());
        }
        // The monitor of a synchronized method is no business of the instruction that the method is at.
        let followed = match &item.record {
            Record::Sync(sync) => !sync.is_of_method(),
            Record::Note { .. } | Record::Commit { .. } | Record::Fence { .. } | Record::Buffered { .. } => {
                false
            }
            _ => true,
        };
        self.note_activity(t, &item.record);
        if self.symbolic && followed {
            self.interpreter(definitions, t).settle(&item.record)?;
            self.flush(definitions, t)?;
        }
        if let Some(pc) = item.record.pc()
            && let Some(frame) = self.threads[t].frames.last_mut()
            && frame.state == State::Lost
        {
            frame.last_pc = pc;
        }
        self.record(definitions, t, item)?;
        if self.symbolic && !takes_monitor(definitions, &item.record) {
            self.interpreter(definitions, t).advance(EAGER)?;
            self.flush(definitions, t)?;
            if self.trace.tables.exprs.len() > self.options.max_expressions && self.end.is_none() {
                let why = crate::run::Why::Expressions(self.options.max_expressions);
                self.end = Some(End::Stopped(why));
            }
        }
        Ok(())
    }

    fn without_thread(&mut self, record: &Record) {
        match record {
            Record::Note { what } => self.approximate(what),
            Record::Exited { .. } | Record::Stop { .. } => self.ended(record),
            _ => {}
        }
    }

    fn record(&mut self, definitions: &Definitions, t: usize, item: &Item) -> Result<(), LiftError> {
        match &item.record {
            Record::Enter { method, arguments } => {
                self.interpreter(definitions, t).entered(*method, arguments);
                if !self.symbolic
                    && let Some(frame) = self.threads[t].frames.last_mut()
                {
                    frame.state = State::Lost;
                }
            }
            Record::Exit => self.interpreter(definitions, t).exited()?,
            Record::Unwind { exception } => self.interpreter(definitions, t).unwound(*exception),
            Record::Catch { pc, exception } => self.interpreter(definitions, t).caught(*pc, *exception),
            Record::Return { pc, value } => self.interpreter(definitions, t).returned(*pc, *value)?,
            Record::GetField { .. }
            | Record::GetStatic { .. }
            | Record::PutField { .. }
            | Record::PutStatic { .. }
            | Record::ArrayLoad { .. }
            | Record::ArrayStore { .. } => self.access(definitions, t, item)?,
            Record::Alloc { pc, object } => {
                self.allocated.insert(*object);
                self.interpreter(definitions, t).allocated(*pc, *object)?;
                self.settle_early(t, *object);
            }
            Record::ArrayCopy { .. } => self.interpreter(definitions, t).give_outside(),
            Record::Sync(sync) => self.sync(definitions, t, item, sync)?,
            Record::Atomic(atomic) => self.atomic(definitions, t, item, atomic)?,
            Record::Fork { .. } | Record::Begin | Record::End | Record::Join { .. } => {
                self.thread_event(definitions, t, &item.record)?;
            }
            Record::Yield { .. } => {}
            Record::Buffered { pc } => self.waiting[t] = Some(*pc),
            Record::Fence { pc, order } => self.fence(definitions, t, *pc, *order)?,
            Record::Commit { object, field, index } => self.commit(definitions, t, *object, field, *index)?,
            Record::Input { name, nth, width, value } => {
                self.input(definitions, t, name, *nth, *width, *value)?;
            }
            Record::Text { object, name } => self.text_input(definitions, t, *object, name)?,
            Record::Line { object, first, inputs } => {
                self.line_input(definitions, t, *object, *first, *inputs)?;
            }
            Record::Assume { holds } => self.assume(definitions, t, *holds)?,
            Record::Uncaught { exception, class, message } => {
                self.uncaught(definitions, t, *exception, class, message)?;
            }
            Record::Deadlock { text } => self.deadlock(definitions, t, text)?,
            Record::Note { what } => self.approximate(what),
            Record::Stop { .. } | Record::Exited { .. } => self.ended(&item.record),
        }
        self.doubt_library(definitions, t);
        Ok(())
    }

    fn approximate(&mut self, what: &str) {
        *self.approximations.entry(what.to_owned()).or_default() += 1;
    }

    /// Do writes wait in buffers?
    fn buffers_writes(&self) -> bool {
        self.trace.header.model != MemoryModel::Sc
    }
}

/// Does a method begin whose first step is to take its monitor?
fn takes_monitor(definitions: &Definitions, record: &Record) -> bool {
    let is_synchronized = |method| definitions.method(method).method().access & access::SYNCHRONIZED != 0;
    matches!(record, Record::Enter { method, .. } if is_synchronized(*method))
}
