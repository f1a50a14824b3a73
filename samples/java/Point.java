/*
 * "Point" (MCR, a well-known 12-million-dollar bug): a new position is filled in and published by plain writes, which
 * PSO may swap: the reader then sees a position that is not filled in. Correct under SC and TSO; with -Dfixed=true
 * the reference is volatile, which is correct everywhere.
 */
import dev.warpath.Warpath;

public class Point {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final Point start = new Point(1, 2);
    private static Point plain;
    private static volatile Point visible;
    private int x, y;

    Point(int x, int y) {
        this.x = x;
        this.y = y;
    }

    static void move() {
        Point moved = new Point(start.x + 1, start.y + 1);
        if (FIXED) {
            visible = moved;
        } else {
            plain = moved;
        }
    }

    static void look() {
        Point seen = FIXED ? visible : plain;
        if (seen != null) {
            Warpath.check(seen.x + 1 == seen.y, "half a move was seen"); // BUG
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread mover = new Thread(Point::move);
        Thread looker = new Thread(Point::look);
        mover.start();
        looker.start();
        mover.join();
        looker.join();
    }
}
