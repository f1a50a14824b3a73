//! The floating-point and vector state of a stopped process, as the kernel saves it.

use nix::errno::Errno;
use nix::unistd::Pid;

/// The register set number of the whole XSAVE area (`NT_X86_XSTATE`).
const XSTATE: usize = 0x202;
const MXCSR: usize = 24;
const XMM: usize = 160;

/// An XSAVE area: x87, SSE, and whatever else the processor has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FpuImage(Vec<u8>);

impl FpuImage {
    pub(super) fn read(pid: Pid) -> Result<FpuImage, Errno> {
        let mut bytes = vec![0u8; 16 * 1024];
        let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        // SAFETY: the kernel writes at most `iov_len` bytes to `bytes`, which outlives the call, and sets `iov_len`.
        let result = unsafe { libc::ptrace(libc::PTRACE_GETREGSET, pid.as_raw(), XSTATE, &raw mut part) };
        Errno::result(result)?;
        bytes.truncate(part.iov_len);
        Ok(FpuImage(bytes))
    }

    pub(super) fn write(&self, pid: Pid) -> Result<(), Errno> {
        let mut part = libc::iovec { iov_base: self.0.as_ptr().cast_mut().cast(), iov_len: self.0.len() };
        // SAFETY: the kernel only reads `iov_len` bytes of the image, which outlives the call.
        let result = unsafe { libc::ptrace(libc::PTRACE_SETREGSET, pid.as_raw(), XSTATE, &raw mut part) };
        Errno::result(result).map(drop)
    }

    /// The low 128 bits of the sixteen vector registers.
    pub fn xmm(&self) -> [u128; 16] {
        std::array::from_fn(|n| {
            let from = XMM + 16 * n;
            self.0.get(from..from + 16).and_then(|bytes| bytes.try_into().ok()).map_or(0, u128::from_le_bytes)
        })
    }

    /// Sets the low 128 bits of the vector registers; the x87 and upper halves stay.
    pub fn set_xmm(&mut self, xmm: &[u128; 16]) {
        for (n, value) in xmm.iter().enumerate() {
            let from = XMM + 16 * n;
            if let Some(bytes) = self.0.get_mut(from..from + 16) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        }
        // The header's bit 1 says that the SSE part is in use: without it the kernel would load zeros.
        if let Some(byte) = self.0.get_mut(512) {
            *byte |= 0b10;
        }
    }

    /// Control and status of SSE arithmetic.
    pub fn mxcsr(&self) -> u32 {
        self.0
            .get(MXCSR..MXCSR + 4)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0x1f80, u32::from_le_bytes)
    }

    /// Sets control and status of SSE arithmetic.
    pub fn set_mxcsr(&mut self, mxcsr: u32) {
        if let Some(bytes) = self.0.get_mut(MXCSR..MXCSR + 4) {
            bytes.copy_from_slice(&mxcsr.to_le_bytes());
        }
    }
}
