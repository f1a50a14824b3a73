//! Any memory behind one type, so that the slow path needs the interpreter compiled only once.

use std::ptr::NonNull;

use crate::memory::{Memory, Trouble};

/// [`Memory`] as an object: sizes are lengths.
trait Port {
    fn load(&mut self, address: u64, into: &mut [u8]) -> Result<(), Trouble>;
    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Trouble>;
}

impl<M: Memory> Port for M {
    fn load(&mut self, address: u64, into: &mut [u8]) -> Result<(), Trouble> {
        match into.len() {
            1 => into.copy_from_slice(&Memory::load::<1>(self, address)?),
            2 => into.copy_from_slice(&Memory::load::<2>(self, address)?),
            4 => into.copy_from_slice(&Memory::load::<4>(self, address)?),
            8 => into.copy_from_slice(&Memory::load::<8>(self, address)?),
            16 => into.copy_from_slice(&Memory::load::<16>(self, address)?),
            length => unreachable!("no instruction loads {length} bytes at once"),
        }
        Ok(())
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Trouble> {
        fn exactly<const N: usize>(bytes: &[u8]) -> [u8; N] {
            bytes.try_into().expect("the length was matched")
        }
        match bytes.len() {
            1 => Memory::store::<1>(self, address, exactly(bytes)),
            2 => Memory::store::<2>(self, address, exactly(bytes)),
            4 => Memory::store::<4>(self, address, exactly(bytes)),
            8 => Memory::store::<8>(self, address, exactly(bytes)),
            16 => Memory::store::<16>(self, address, exactly(bytes)),
            length => unreachable!("no instruction stores {length} bytes at once"),
        }
    }
}

/// Some memory, borrowed for one instruction. It cannot name the borrow, because handlers are kept in tables.
pub(crate) struct Dynamic(NonNull<dyn Port>);

impl Dynamic {
    /// Gives `use_it` this memory as a [`Dynamic`].
    pub(crate) fn with<M: Memory, R>(memory: &mut M, use_it: impl FnOnce(&mut Dynamic) -> R) -> R {
        let port: NonNull<dyn Port + '_> = NonNull::from(memory as &mut dyn Port);
        // SAFETY: only the lifetime changes. The pointer is used through the `&mut Dynamic` given to `use_it` and no
        // longer, so `memory` stays exclusively borrowed for as long.
        let port =
            unsafe { std::mem::transmute::<NonNull<dyn Port + '_>, NonNull<dyn Port + 'static>>(port) };
        use_it(&mut Dynamic(port))
    }

    fn port(&mut self) -> &mut dyn Port {
        // SAFETY: see `with`: the memory is alive and exclusively ours while this value can be reached.
        unsafe { self.0.as_mut() }
    }
}

impl Memory for Dynamic {
    fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Trouble> {
        let mut bytes = [0; N];
        self.port().load(address, &mut bytes)?;
        Ok(bytes)
    }

    fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Trouble> {
        self.port().store(address, &bytes)
    }
}
