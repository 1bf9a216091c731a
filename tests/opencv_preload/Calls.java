import org.opencv.core.Core;
import org.opencv.core.CvException;
import org.opencv.core.CvType;
import org.opencv.core.Mat;
import org.opencv.core.Rect;
import org.opencv.core.Scalar;
import org.opencv.imgproc.Imgproc;

/** Finds a part of a picture by each method, as SikuliX does, and prints the places. */
public class Calls {
    static String place(Mat scores, int method) {
        Core.MinMaxLocResult found = Core.minMaxLoc(scores);
        boolean least = method == Imgproc.TM_SQDIFF || method == Imgproc.TM_SQDIFF_NORMED;
        return String.format("%s %.3f", least ? found.minLoc : found.maxLoc,
                (least ? found.minVal : found.maxVal) / (method % 2 == 1 ? 1 : 1e9));
    }

    static void refused(String name, Mat image, Mat template, int method) {
        try {
            Imgproc.matchTemplate(image, template, new Mat(), method);
            System.out.println(name + ": done");
        } catch (CvException exception) {
            System.out.println(name + ": exception");
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.loadLibrary(Core.NATIVE_LIBRARY_NAME);
        Mat image = new Mat(240, 320, CvType.CV_8UC3);
        Core.setRNGSeed(7);
        Core.randu(image, 0, 256);
        Mat part = image.submat(new Rect(123, 45, 40, 30));
        Mat mask = new Mat(part.size(), CvType.CV_8UC1, new Scalar(0));
        mask.submat(new Rect(4, 3, 30, 20)).setTo(new Scalar(255));
        for (int method = 0; method < 6; ++method) {
            Mat scores = new Mat();
            Imgproc.matchTemplate(image, part, scores, method);
            System.out.println(method + ": " + place(scores, method));
            Imgproc.matchTemplate(image, part, scores, method, mask);
            System.out.println(method + " masked: " + place(scores, method));
        }
        Mat real = new Mat();
        image.convertTo(real, CvType.CV_32F);
        Mat scores = new Mat();
        Imgproc.matchTemplate(real, real.submat(new Rect(9, 8, 20, 20)), scores, Imgproc.TM_CCOEFF_NORMED);
        System.out.println("real: " + place(scores, Imgproc.TM_CCOEFF_NORMED));
        refused("larger", part, image.submat(new Rect(0, 0, 300, 10)), 5);
        refused("method", image, part, 6);
        refused("type", image, mask, 5);
        refused("empty", image, new Mat(0, 0, CvType.CV_16UC1), 5);
        Mat flat = new Mat(10, 10, CvType.CV_8UC3, new Scalar(9, 9, 9));
        Imgproc.matchTemplate(image, flat, scores, Imgproc.TM_CCOEFF_NORMED);
        System.out.println("flat: " + place(scores, Imgproc.TM_CCOEFF_NORMED));
        // Several at once, as SikuliX looks for any of several pictures.
        String[] places = new String[4];
        Thread[] threads = new Thread[places.length];
        for (int i = 0; i < threads.length; ++i) {
            int index = i;
            threads[i] = new Thread(() -> {
                Mat own = new Mat();
                for (int round = 0; round < 5; ++round) Imgproc.matchTemplate(image, part, own, Imgproc.TM_CCOEFF_NORMED);
                places[index] = place(own, Imgproc.TM_CCOEFF_NORMED);
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println("threads: " + String.join(" ", places));
    }
}
