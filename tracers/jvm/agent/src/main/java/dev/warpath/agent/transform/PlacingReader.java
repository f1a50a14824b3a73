package dev.warpath.agent.transform;

import org.objectweb.asm.ClassReader;

/** A reader that says at which offset of the original method it is. */
final class PlacingReader extends ClassReader {
    int offset;

    PlacingReader(byte[] bytes) {
        super(bytes);
    }

    @Override
    protected void readBytecodeInstructionOffset(int bytecodeOffset) {
        offset = bytecodeOffset;
    }
}
