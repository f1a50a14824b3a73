//! Lambdas: between the call site that makes one and the method with its code there is a class that nobody sees.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use warpath_trace::event::Concretised;

use super::calls::Call;
use super::frame::Frame;
use super::thread::Interpreter;
use super::value::{Known, Reference, Slot};
use crate::classfile::Constant;
use crate::stream::{MethodIx, ObjectRef, Value};

/// Class, name and descriptor of a method.
type MethodName = (String, String, String);

/// What a lambda was made of: its code, and the values that it took with it.
#[derive(Clone, Debug)]
struct Lambda {
    code: Rc<MethodName>,
    captured: Vec<Slot>,
}

/// Lambdas by object, and by their code those that have symbolic values with them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lambdas {
    objects: FxHashMap<ObjectRef, Lambda>,
    by_code: FxHashMap<Rc<MethodName>, Vec<Vec<Slot>>>,
}

impl Interpreter<'_> {
    /// A call site that is computed gave this object: if it is a lambda, what it captured is known.
    pub(super) fn makes_lambda(&mut self, frame: &Frame, operands: &[Slot], value: Option<Value>) -> bool {
        let Some(code) = self.lambda_code(frame) else { return false };
        let Some(Value::Reference(object)) = value else { return false };
        let site = frame.site();
        for slot in operands {
            self.hand_over(site, slot);
        }
        let code = Rc::new(code);
        if operands.iter().any(Slot::is_symbolic) {
            let known = self.lambdas.by_code.entry(code.clone()).or_default();
            if !known.iter().any(|captured| captured == operands) {
                known.push(operands.to_vec());
            }
        }
        self.lambdas.objects.insert(object, Lambda { code, captured: operands.to_vec() });
        true
    }

    /// The method that has the code of the lambda that a frame makes.
    fn lambda_code(&self, frame: &Frame) -> Option<MethodName> {
        let definition = self.definitions.method(frame.method);
        let file = definition.file();
        let at = frame.pc as usize;
        let code = &definition.code()?.bytes;
        if *code.get(at)? != super::opcode::INVOKEDYNAMIC {
            return None;
        }
        let index = u16::from_be_bytes([*code.get(at + 1)?, *code.get(at + 2)?]);
        let Some(&Constant::Dynamic(bootstrap, _)) = file.constants.get(index) else { return None };
        let (handle, arguments) = file.bootstraps.get(usize::from(bootstrap))?;
        let factory = file.constants.handle(*handle).ok()?;
        if factory.class != "java/lang/invoke/LambdaMetafactory" {
            return None;
        }
        let code = file.constants.handle(*arguments.get(1)?).ok()?;
        Some((code.class.to_owned(), code.name.to_owned(), code.descriptor.to_owned()))
    }

    fn is_code(&self, method: MethodIx, code: &MethodName) -> bool {
        let definition = self.definitions.method(method);
        let (class, name, descriptor) = code;
        definition.file().name == *class
            && definition.method().name == *name
            && definition.method().descriptor == *descriptor
    }

    /// What a method is entered with, if the call is one of the lambda whose code it is.
    pub(super) fn through_lambda(
        &mut self,
        caller: &mut Frame,
        call: &Call<'_>,
        method: MethodIx,
        arguments: &[Value],
    ) -> Option<Vec<Slot>> {
        let from = caller.stack.len().checked_sub(call.operands)?;
        let Known::Reference(receiver) = caller.stack.get(from)?.known else { return None };
        let Reference::Object(object) = self.resolve(receiver) else { return None };
        let lambda = self.lambdas.objects.get(&object)?.clone();
        if !self.is_code(method, &lambda.code) {
            return None;
        }
        let operands: Vec<Slot> =
            lambda.captured.into_iter().chain(caller.stack[from + 1..].iter().copied()).collect();
        if operands.len() != arguments.len() {
            return None;
        }
        let given: Option<Vec<Slot>> =
            operands.into_iter().zip(arguments).map(|(slot, &value)| self.reconcile(slot, value)).collect();
        if given.is_some() {
            caller.stack.truncate(from);
        }
        given
    }

    /// The arguments of a method that code which is not instrumented has called: what a lambda took with it is known
    /// all the same, if there is only one that fits.
    pub(super) fn as_captured(&mut self, method: MethodIx, arguments: &[Value]) -> Vec<Slot> {
        let plain: Vec<Slot> = arguments.iter().copied().map(Slot::of).collect();
        let definition = self.definitions.method(method);
        let name = &definition.method().name;
        let code = (definition.file().name.clone(), name.clone(), definition.method().descriptor.clone());
        let Some(known) = self.lambdas.by_code.get(&code).cloned() else { return plain };
        let mut fitting: Vec<Vec<Slot>> = Vec::new();
        for captured in known {
            let slots = captured.iter().zip(arguments).map(|(&slot, &value)| self.reconcile(slot, value));
            if captured.len() <= arguments.len()
                && let Some(slots) = slots.collect::<Option<Vec<Slot>>>()
            {
                fitting.push(slots);
            }
        }
        match &fitting[..] {
            [] => plain,
            [captured] => captured.iter().copied().chain(plain[captured.len()..].iter().copied()).collect(),
            _ => {
                // Which of them it was cannot be told: what they took with them is what it was in this run.
                let site = super::frame::Site { method, pc: 0 };
                for slot in fitting.iter().flatten() {
                    self.concretise(site, slot, Concretised::Outside);
                }
                plain
            }
        }
    }
}
