import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A small service under steady load, for logs of collections.
 *
 * <p>usage: java Work MODE SECONDS REQUESTS_PER_TICK BYTES
 *
 * <p>MODE: leak (keeps one answer of sixteen), cache (keeps the last 2,000), warm (loads a table at the start), flat
 * (keeps none), near (keeps a table that nearly fills the heap).
 */
final class Work {
    private static final List<Object> KEPT = new ArrayList<>();
    private static final Map<Integer, Object> CACHE = new HashMap<>();

    public static void main(String[] args) throws InterruptedException {
        String mode = args[0];
        long end = System.nanoTime() + (long) (Double.parseDouble(args[1]) * 1e9);
        int perTick = Integer.parseInt(args[2]);
        int bytes = Integer.parseInt(args[3]);
        if (mode.equals("warm") || mode.equals("near")) {
            long want = mode.equals("near") ? Runtime.getRuntime().maxMemory() * 8 / 10 : 8 << 20;
            for (long have = 0; have < want; have += bytes) {
                KEPT.add(new byte[bytes]);
            }
        }
        int number = 0;
        try {
            while (System.nanoTime() < end) {
                for (int i = 0; i < perTick; i++) {
                    byte[] answer = new byte[bytes];
                    answer[0] = (byte) number;
                    if (mode.equals("leak") && number % 16 == 0) {
                        KEPT.add(answer);
                    }
                    if (mode.equals("cache")) {
                        CACHE.put(number % 2000, answer);
                    }
                    number++;
                }
                Thread.sleep(5);
            }
        } catch (OutOfMemoryError full) {
            KEPT.clear();
        }
    }
}
