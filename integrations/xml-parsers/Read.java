import java.io.IOException;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;

class Read {
    static Document parse(String name) throws Exception {
        Process charpipe = new ProcessBuilder("charpipe", "-q", "--", name)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
        try (var input = charpipe.getInputStream()) {
            Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(input);
            if (charpipe.waitFor() != 0) throw new IOException("charpipe cannot convert " + name);
            return document;
        }
    }

    public static void main(String[] names) throws Exception {
        for (String name : names) System.out.println(parse(name).getDocumentElement().getTextContent());
    }
}
