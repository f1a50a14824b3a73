//! Mutations: of any bytes, and of chunks with their checksums mended.

use super::random::Random;

/// Bytes that mean something at the borders of variable-length numbers.
const ODD: [u8; 10] = [0, 1, 127, 128, 250, 251, 252, 253, 254, 255];

/// A few random edits of a good file, without regard to its structure.
pub fn bytes(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut data = random.pick(seeds).clone();
    edit(random, &mut data, seeds);
    data
}

fn edit(random: &mut Random, data: &mut Vec<u8>, others: &[Vec<u8>]) {
    for _ in 0..random.below(4) {
        if data.is_empty() {
            return;
        }
        let at = random.below(data.len());
        match random.below(7) {
            0 => data[at] ^= 1 << random.below(8),
            1 => data[at] = *random.pick(&ODD),
            2 => data.truncate(at),
            3 => data.insert(at, *random.pick(&ODD)),
            4 => {
                let end = (at + 1 + random.below(8)).min(data.len());
                data.drain(at..end);
            }
            5 => {
                let end = (at + 1 + random.below(16)).min(data.len());
                let copy = data[at..end].to_vec();
                let to = random.below(data.len());
                data.splice(to..to, copy);
            }
            _ => {
                let other = random.pick(others);
                if !other.is_empty() {
                    let from = random.below(other.len());
                    let end = (from + 1 + random.below(16)).min(other.len());
                    data.splice(at..at, other[from..end].iter().copied());
                }
            }
        }
    }
}

const PREAMBLE: usize = 9;

/// A chunk without its checksum.
#[derive(Clone)]
struct Piece {
    kind: u8,
    flags: u8,
    payload: Vec<u8>,
}

fn split(file: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = &file[PREAMBLE.min(file.len())..];
    while rest.len() >= 10 {
        let length = u32::from_le_bytes([rest[2], rest[3], rest[4], rest[5]]) as usize;
        if rest.len() < length + 10 {
            break;
        }
        pieces.push(Piece { kind: rest[0], flags: rest[1], payload: rest[6..6 + length].to_vec() });
        rest = &rest[length + 10..];
    }
    pieces
}

/// A trace file whose chunks were edited, moved, doubled or dropped, with good checksums.
pub fn chunks(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    if random.one_in(5) {
        return bytes(random, seeds);
    }
    let file = random.pick(seeds);
    let mut pieces = split(file);
    let payloads: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.payload.clone()).collect();
    for _ in 0..=random.below(2) {
        if pieces.is_empty() {
            break;
        }
        let at = random.below(pieces.len());
        match random.below(12) {
            0 => {
                pieces.remove(at);
            }
            1 => {
                let copy = pieces[at].clone();
                pieces.insert(random.below(pieces.len()), copy);
            }
            2 => {
                let to = random.below(pieces.len());
                pieces.swap(at, to);
            }
            3 => pieces[at].kind = random.below(15) as u8,
            4 => pieces[at].flags = random.below(4) as u8,
            _ => edit(random, &mut pieces[at].payload, &payloads),
        }
    }
    let mut file = file[..PREAMBLE.min(file.len())].to_vec();
    for Piece { kind, flags, payload } in pieces {
        let mut chunk = vec![kind, flags];
        chunk.extend((payload.len() as u32).to_le_bytes());
        chunk.extend(payload);
        let checksum = crc32fast::hash(&chunk);
        file.extend(chunk);
        file.extend(checksum.to_le_bytes());
    }
    if random.one_in(8) {
        file.truncate(random.below(file.len()));
    }
    file
}

/// A text file with words and lines exchanged as well as bytes.
pub fn text(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut data = random.pick(seeds).clone();
    for _ in 0..random.below(3) {
        let mut lines: Vec<Vec<u8>> = data.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        let at = random.below(lines.len());
        match random.below(4) {
            0 => {
                lines.remove(at);
            }
            1 => {
                let copy = lines[at].clone();
                lines.insert(random.below(lines.len()), copy);
            }
            2 => {
                let to = random.below(lines.len());
                lines.swap(at, to);
            }
            _ => {
                let mut words: Vec<&[u8]> = lines[at].split(|&byte| byte == b' ').collect();
                let word = random.below(words.len());
                words.swap(word, 0);
                lines[at] = words.join(&b' ');
            }
        }
        data = lines.join(&b'\n');
    }
    if random.one_in(2) {
        edit(random, &mut data, seeds);
    }
    data
}
