//! From bytes to records.

use super::bytes::Bytes;
use super::definitions::{Content, Definitions, MethodIx, ObjectDef, ThreadDef};
use super::error::StreamError;
use super::record::{AtomicOp, AtomicRecord, Item, ObjectRef, Record, SyncRecord, Value};
use crate::classfile::{ClassFile, JavaType, parse_field_type};

const MAGIC: &[u8] = b"WPJVM1\n\0";
/// Added to a tag: the event was a step.
const STEP: u8 = 128;

/// Reads a stream record by record.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: Bytes<'a>,
    definitions: Definitions,
    /// The methods that each thread is in, outermost first; by number.
    frames: Vec<Vec<MethodIx>>,
    thread: u32,
    offset: usize,
}

type Read<T> = Result<T, StreamError>;

impl<'a> Reader<'a> {
    /// Reads these bytes.
    pub fn new(stream: &'a [u8]) -> Read<Reader<'a>> {
        let mut bytes = Bytes::new(stream);
        if bytes.take(MAGIC.len() as u64) != Some(MAGIC) {
            return Err(StreamError::Magic);
        }
        Ok(Reader {
            bytes,
            definitions: Definitions::default(),
            frames: vec![Vec::new()],
            thread: 0,
            offset: MAGIC.len(),
        })
    }

    /// What has been defined by the records read so far.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// The next record that is not a definition; `None` at the end.
    pub fn next_item(&mut self) -> Read<Option<Item>> {
        loop {
            self.offset = self.bytes.at;
            let Some(tag) = self.bytes.byte().filter(|&tag| tag != 0) else { return Ok(None) };
            if !self.define(tag)? {
                let record = self.record(tag & !STEP)?;
                self.follow(&record);
                return Ok(Some(Item {
                    thread: self.thread,
                    step: tag & STEP != 0,
                    offset: self.offset,
                    record,
                }));
            }
        }
    }

    fn follow(&mut self, record: &Record) {
        let frames = &mut self.frames[self.thread as usize];
        match record {
            Record::Enter { method, .. } => frames.push(*method),
            Record::Exit | Record::Unwind { .. } => {
                frames.pop();
            }
            _ => {}
        }
    }

    /// Reads a definition or a switch; whether it was one.
    fn define(&mut self, tag: u8) -> Read<bool> {
        match tag {
            1 => {
                let bytes = self.block()?;
                self.definitions.strings.push(String::from_utf8_lossy(bytes).into_owned());
            }
            2 => {
                let name = self.string()?;
                let file = ClassFile::parse(self.block()?).map_err(|error| StreamError::Class {
                    name,
                    error,
                    offset: self.offset,
                })?;
                self.definitions.add_class(file);
            }
            3 => {
                let class = self.unsigned()?;
                let (name, descriptor) = (self.string()?, self.string()?);
                if !self.definitions.add_method(class, &name, &descriptor) {
                    return Err(self.undefined("a method of class", class));
                }
            }
            4 => {
                let object = self.object_definition()?;
                self.definitions.objects.push(object);
            }
            5 => {
                let parent = self.unsigned()?;
                let known = self.definitions.threads.len() as u64;
                if parent > known || (parent == 0) != (known == 0) {
                    return Err(self.undefined("the parent thread", parent));
                }
                let (nth, name, start) = (self.unsigned()?, self.string()?, self.string()?);
                self.definitions.threads.push(ThreadDef { parent: parent as u32, nth, name, start });
                self.frames.push(Vec::new());
            }
            6 => self.thread = self.thread_number()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn object_definition(&mut self) -> Read<ObjectDef> {
        let class = self.string()?;
        let kind = self.unsigned()?;
        let creator = self.thread_number()?;
        let nth = self.unsigned()?;
        let content = match kind {
            0 => Content::Plain,
            1 => Content::Array(self.unsigned()?),
            2 => Content::Text(self.string()?),
            3 => Content::Class(self.string()?),
            4 => Content::Box(self.signed()?),
            number => return Err(self.number("an object of kind", number)),
        };
        Ok(ObjectDef { class, content, creator, nth })
    }

    fn record(&mut self, tag: u8) -> Read<Record> {
        Ok(match tag {
            10 => self.enter()?,
            11 => Record::Exit,
            12 => Record::Unwind { exception: self.object()? },
            13 => Record::Catch { pc: self.pc()?, exception: self.object()? },
            14 => {
                let (pc, kind) = self.place()?;
                Record::Return { pc, value: self.value(kind)? }
            }
            20 => {
                let (pc, kind) = self.place()?;
                Record::GetField { pc, object: self.object()?, value: self.some_value(kind, pc)? }
            }
            21 => {
                let (pc, kind) = self.place()?;
                Record::GetStatic { pc, value: self.some_value(kind, pc)? }
            }
            22 => {
                let (pc, kind) = self.place()?;
                Record::PutField { pc, object: self.object()?, value: self.some_value(kind, pc)? }
            }
            23 => {
                let (pc, kind) = self.place()?;
                Record::PutStatic { pc, value: self.some_value(kind, pc)? }
            }
            24 => {
                let (pc, array, index, kind) = self.element()?;
                Record::ArrayLoad { pc, array, index, value: self.some_value(kind, pc)?, kind }
            }
            25 => {
                let (pc, array, index, kind) = self.element()?;
                Record::ArrayStore { pc, array, index, value: self.some_value(kind, pc)?, kind }
            }
            26 => Record::Alloc { pc: self.pc()?, object: self.object()? },
            27 => Record::ArrayCopy { pc: self.pc()? },
            30 => Record::Sync(SyncRecord {
                pc: self.pc()?,
                verb: self.unsigned()?,
                space: self.unsigned()?,
                object: self.object()?,
                a: self.unsigned()?,
                b: self.unsigned()?,
                result: self.unsigned()?,
            }),
            31 => Record::Atomic(Box::new(self.atomic()?)),
            40 => Record::Fork { pc: self.pc()?, child: self.thread_number()? },
            41 => Record::Begin,
            42 => Record::End,
            43 => Record::Join {
                pc: self.pc()?,
                child: self.thread_number()?,
                attempt: self.unsigned()?,
                result: self.unsigned()?,
            },
            44 => Record::Yield { pc: self.pc()? },
            45 => Record::Commit { object: self.object()?, field: self.string()?, index: self.signed()? },
            47 => Record::Buffered { pc: self.pc()? },
            46 => Record::Fence { pc: self.pc()?, order: self.unsigned()? },
            50 => Record::Input {
                name: self.string()?,
                nth: self.unsigned()?,
                width: self.unsigned()?,
                value: self.signed()?,
            },
            51 => Record::Assume { holds: self.unsigned()? != 0 },
            52 => Record::Text { object: self.object()?, name: self.string()? },
            53 => Record::Line { object: self.object()?, first: self.unsigned()?, inputs: self.unsigned()? },
            60 => {
                Record::Uncaught { exception: self.object()?, class: self.string()?, message: self.string()? }
            }
            61 => Record::Deadlock { text: self.string()? },
            62 => Record::Stop { why: self.string()?, text: self.string()? },
            63 => Record::Note { what: self.string()? },
            64 => Record::Exited { status: self.signed()? },
            _ => return Err(StreamError::Tag { tag, offset: self.offset }),
        })
    }

    fn enter(&mut self) -> Read<Record> {
        let number = self.unsigned()?;
        let known = self.definitions.methods.len() as u64;
        if number == 0 || number > known {
            return Err(self.undefined("method", number));
        }
        let method = MethodIx((number - 1) as u32);
        let definition = self.definitions.method(method).method();
        let receiver = (!definition.is_static()).then_some(JavaType::Reference);
        let kinds: Vec<JavaType> =
            receiver.into_iter().chain(definition.signature.arguments.iter().copied()).collect();
        let mut arguments = Vec::with_capacity(kinds.len());
        for kind in kinds {
            arguments.extend(self.value(kind)?);
        }
        Ok(Record::Enter { method, arguments })
    }

    fn element(&mut self) -> Read<(u32, ObjectRef, i32, JavaType)> {
        let pc = self.pc()?;
        let array = self.object()?;
        let index = self.signed()? as i32;
        let by_opcode = self.method().and_then(|method| {
            let kind = self.definitions.type_at(method, pc)?;
            let opcode = *self.definitions.method(method).code()?.bytes.get(pc as usize)?;
            crate::interpret::opcode::element_type(opcode).map(|_| kind)
        });
        let kind = by_opcode.or_else(|| self.definitions.element_type(array));
        let kind = kind.ok_or_else(|| self.misplaced(pc))?;
        Ok((pc, array, index, kind))
    }

    fn atomic(&mut self) -> Read<AtomicRecord> {
        let pc = self.pc()?;
        let object = self.object()?;
        let field = self.string()?;
        let descriptor = self.string()?;
        let kind = parse_field_type(&descriptor).map_err(|error| StreamError::Class {
            name: field.clone(),
            error,
            offset: self.offset,
        })?;
        let number = self.unsigned()?;
        let op = AtomicOp::of(number).ok_or_else(|| self.number("an atomic operation", number))?;
        let order = self.unsigned()?;
        let mut operands = Vec::new();
        for _ in 0..op.operands() {
            operands.push(self.some_value(kind, pc)?);
        }
        let (old, new) = (self.some_value(kind, pc)?, self.some_value(kind, pc)?);
        Ok(AtomicRecord { pc, object, field, kind, op, order, operands, old, new })
    }

    fn method(&self) -> Option<MethodIx> {
        self.frames[self.thread as usize].last().copied()
    }

    /// An instruction, and the type of its value.
    fn place(&mut self) -> Read<(u32, JavaType)> {
        let pc = self.pc()?;
        let kind = self.method().and_then(|method| self.definitions.type_at(method, pc));
        kind.map(|kind| (pc, kind)).ok_or_else(|| self.misplaced(pc))
    }

    fn value(&mut self, kind: JavaType) -> Read<Option<Value>> {
        Ok(Some(match kind {
            JavaType::Void => return Ok(None),
            JavaType::Long => Value::Long(self.signed()?),
            JavaType::Float => Value::Float(self.bytes.u32_le().ok_or_else(|| self.cut())?),
            JavaType::Double => Value::Double(self.bytes.u64_le().ok_or_else(|| self.cut())?),
            JavaType::Reference => Value::Reference(self.object()?),
            _ => Value::Int(self.signed()? as i32),
        }))
    }

    fn some_value(&mut self, kind: JavaType, pc: u32) -> Read<Value> {
        self.value(kind)?.ok_or_else(|| self.misplaced(pc))
    }

    fn unsigned(&mut self) -> Read<u64> {
        self.bytes.unsigned().ok_or_else(|| self.cut())
    }

    fn signed(&mut self) -> Read<i64> {
        self.bytes.signed().ok_or_else(|| self.cut())
    }

    fn pc(&mut self) -> Read<u32> {
        let number = self.unsigned()?;
        u32::try_from(number).map_err(|_| self.number("instruction", number))
    }

    fn block(&mut self) -> Read<&'a [u8]> {
        let length = self.unsigned()?;
        self.bytes.take(length).ok_or_else(|| self.cut())
    }

    fn string(&mut self) -> Read<String> {
        let number = self.unsigned()?;
        self.definitions.string(number).map(str::to_owned).ok_or_else(|| self.undefined("string", number))
    }

    fn object(&mut self) -> Read<ObjectRef> {
        let number = self.unsigned()?;
        if number > self.definitions.objects.len() as u64 {
            return Err(self.undefined("object", number));
        }
        Ok(ObjectRef(number as u32))
    }

    fn thread_number(&mut self) -> Read<u32> {
        let number = self.unsigned()?;
        if number == 0 || number > self.definitions.threads.len() as u64 {
            return Err(self.undefined("thread", number));
        }
        Ok(number as u32)
    }

    fn cut(&self) -> StreamError {
        StreamError::Cut { offset: self.offset }
    }

    fn undefined(&self, what: &'static str, number: u64) -> StreamError {
        StreamError::Undefined { what, number, offset: self.offset }
    }

    fn number(&self, what: &'static str, number: u64) -> StreamError {
        StreamError::Number { what, number, offset: self.offset }
    }

    fn misplaced(&self, pc: u32) -> StreamError {
        let method = self
            .method()
            .map_or_else(|| "no method".to_owned(), |ix| self.definitions.method(ix).full_name());
        StreamError::Misplaced { pc, method, offset: self.offset }
    }
}
