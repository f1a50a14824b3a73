/*
 * "Airline" (MCR): sellers are started while sales are not stopped, and the one that sells the last seat stops them;
 * by then more may have been started. There is one seat less than sellers. With -Dfixed=true a seller looks, under a
 * lock, whether there is a seat. The pause between two starts orders nothing; it only lets a plain run end well.
 */
import dev.warpath.Warpath;

public class Airline {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int SELLERS = Integer.getInteger("sellers", 3);
    private static final int SEATS = SELLERS - 1;
    private static int sold;
    private static boolean stopped;

    static void sell() {
        sold++;
        if (sold == SEATS) {
            stopped = true;
        }
    }

    static synchronized void sellIfFree() {
        if (sold < SEATS) {
            sell();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] sellers = new Thread[SELLERS];
        int started = 0;
        while (started < SELLERS && !stopped) {
            sellers[started] = new Thread(FIXED ? Airline::sellIfFree : Airline::sell);
            sellers[started].start();
            started++;
            Thread.sleep(20);
        }
        for (int n = 0; n < started; n++) {
            sellers[n].join();
        }
        Warpath.check(sold <= SEATS, "more sold than there are seats"); // BUG
    }
}
