/*
 * "PingPong" (MCR): five players share one ball; each looks at it, takes it from the table for a moment and puts it
 * back. Whoever looks in that moment finds null. With -Dfixed=true a player locks the table.
 */
public class PingPong extends Thread {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int PLAYERS = Integer.getInteger("players", 5);

    static final class Ball {
        int hits;
    }

    static final class Table {
        Ball ball = new Ball();
    }

    private final Table table;
    private int seen;

    PingPong(Table table) {
        this.table = table;
    }

    @Override
    public void run() {
        if (FIXED) {
            synchronized (table) {
                play();
            }
        } else {
            play();
        }
    }

    private void play() {
        seen += table.ball.hits; // BUG
        Ball mine = table.ball;
        table.ball = null;
        table.ball = mine;
    }

    public static void main(String[] args) throws InterruptedException {
        Table table = new Table();
        PingPong[] players = new PingPong[PLAYERS];
        for (int n = 0; n < PLAYERS; n++) {
            players[n] = new PingPong(table);
            players[n].start();
        }
        for (PingPong player : players) {
            player.join();
        }
    }
}
