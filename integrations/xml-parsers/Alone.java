// Prints the text of the document element of each file, or the error, in a line for each.
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;

class Alone {
    public static void main(String[] names) throws Exception {
        for (String name : names) {
            DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
            builder.setErrorHandler(null);
            String line;
            try (var input = Files.newInputStream(Path.of(name))) {
                line = "text " + builder.parse(input).getDocumentElement().getTextContent();
            } catch (Exception error) {
                line = "error " + error.getMessage();
            }
            System.out.write((line.replace("\n", "\\n") + "\n").getBytes("UTF-8"));
        }
        System.out.flush();
    }
}
