//! SHA-256 in base 64: how a page names the one script and the one style sheet that a browser may use.
//!
//! As FIPS 180-4 and RFC 4648 have them. The two texts are short and ours; a crate for them would be one more to trust.

/// `sha256-…` as content security policies write it.
pub(super) fn source(text: &str) -> String {
    format!("sha256-{}", base64(&sha256(text.as_bytes())))
}

/// The first `count` primes.
fn primes(count: usize) -> Vec<u32> {
    let is_prime = |n: &u32| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    (2..).filter(is_prime).take(count).collect()
}

/// The first 32 bits of the fractional part of a root: the constants of the standard.
fn fraction(prime: u32, root: impl Fn(u128) -> u128) -> u32 {
    // The largest number whose power is at most the prime, with 32 binary places.
    let (mut low, mut high) = (0u128, 1u128 << 40);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if root(middle) <= u128::from(prime) { low = middle } else { high = middle }
    }
    low as u32
}

fn square_root(prime: u32) -> u32 {
    fraction(prime, |x| {
        let square = x * x;
        (square >> 64) + u128::from(square & ((1 << 64) - 1) != 0)
    })
}

fn cube_root(prime: u32) -> u32 {
    // Cubes of numbers with 40 bits have 120.
    fraction(prime, |x| {
        let cube = x * x * x;
        (cube >> 96) + u128::from(cube & ((1 << 96) - 1) != 0)
    })
}

fn sha256(message: &[u8]) -> [u8; 32] {
    let constants: Vec<u32> = primes(64).into_iter().map(cube_root).collect();
    let mut state: [u32; 8] = std::array::from_fn(|_| 0);
    for (word, prime) in state.iter_mut().zip(primes(8)) {
        *word = square_root(prime);
    }
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut schedule: Vec<u32> = block
            .chunks_exact(4)
            .map(|bytes| bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)))
            .collect();
        for t in 16..64 {
            let (a, b) = (schedule[t - 15], schedule[t - 2]);
            let small = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let large = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            let sum = schedule[t - 16].wrapping_add(small).wrapping_add(schedule[t - 7]).wrapping_add(large);
            schedule.push(sum);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (constant, word) in constants.iter().zip(&schedule) {
            let choice = (e & f) ^ (!e & g);
            let turned = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let first =
                h.wrapping_add(turned).wrapping_add(choice).wrapping_add(*constant).wrapping_add(*word);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            let second = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22)).wrapping_add(majority);
            (h, g, f, e) = (g, f, e, d.wrapping_add(first));
            (d, c, b, a) = (c, b, a, first.wrapping_add(second));
        }
        for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(more);
        }
    }
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, n| bits << 8 | u32::from(group.get(n).copied().unwrap_or(0)));
        for n in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * n) & 63) as usize];
            text.push(if n <= group.len() { digit.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn examples_of_the_standards() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex(&sha256(b"")), empty);
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&sha256(b"abc")), abc);
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        let digest = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        assert_eq!(hex(&sha256(two_blocks)), digest);
        assert_eq!(
            (base64(b"f"), base64(b"fo"), base64(b"foobar")),
            ("Zg==".into(), "Zm8=".into(), "Zm9vYmFy".into())
        );
    }
}
