// Checks and publishes a table from Java. With the driver's archive in the class path:
//   java -cp /usr/share/java/postgresql.jar examples/clients/Publish.java "jdbc:postgresql://localhost/hospital?user=me"
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

public class Publish {
    private static final String CHECK_VIOLATION = "23514";

    public static void main(String[] arguments) throws SQLException {
        try (Connection connection = DriverManager.getConnection(arguments[0])) {
            Array keys = connection.createArrayOf("name", new String[] {"age", "sex"});
            Array sensitive = connection.createArrayOf("name", new String[] {"illness"});
            check(connection, keys, sensitive);
            publish(connection, keys, sensitive);
        }
    }

    private static void check(Connection connection, Array keys, Array sensitive) throws SQLException {
        String call = "SELECT sdc.assert_anonymity('patient', ?, ?, k => 5, p => 2)";
        try (PreparedStatement statement = connection.prepareStatement(call)) {
            statement.setArray(1, keys);
            statement.setArray(2, sensitive);
            statement.execute();
        } catch (SQLException refused) {
            if (!CHECK_VIOLATION.equals(refused.getSQLState())) {
                throw refused;
            }
            System.out.println("the table itself must not be published");
        }
    }

    private static void publish(Connection connection, Array keys, Array sensitive) throws SQLException {
        String call = "SELECT id, rows, achieved->>'k' FROM sdc.publish_microaggregated("
                + "'patient', 'patient_java', ?, k => 5, sensitive => ?, p => 2, replace => true)";
        try (PreparedStatement statement = connection.prepareStatement(call)) {
            statement.setArray(1, keys);
            statement.setArray(2, sensitive);
            try (ResultSet release = statement.executeQuery()) {
                release.next();
                System.out.printf("release %d: %d rows, k = %s%n", release.getLong(1), release.getLong(2), release.getString(3));
            }
        }
    }
}
