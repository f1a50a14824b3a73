/** Objects, fields, calls: a binary tree that is filled and summed up. */
public class Fields {
    private static final class Node {
        final int key;
        Node left;
        Node right;

        Node(int key) {
            this.key = key;
        }
    }

    private Node root;

    void add(int key) {
        Node made = new Node(key);
        if (root == null) {
            root = made;
            return;
        }
        Node at = root;
        while (true) {
            Node next = key < at.key ? at.left : at.right;
            if (next == null) {
                break;
            }
            at = next;
        }
        if (key < at.key) {
            at.left = made;
        } else {
            at.right = made;
        }
    }

    static long sum(Node node) {
        return node == null ? 0 : node.key + sum(node.left) + sum(node.right);
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        long total = 0;
        for (int round = 0; round < rounds; round++) {
            Fields tree = new Fields();
            int key = 12345 + round;
            for (int n = 0; n < 4000; n++) {
                key = key * 1103515245 + 12345;
                tree.add(key >>> 8);
            }
            total += sum(tree.root);
        }
        System.out.println(total);
    }
}
