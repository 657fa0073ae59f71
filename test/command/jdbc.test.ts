import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { scenario } from '../support/scenario.ts';

const scene = scenario({ compute: 'postgres', password: `p/w @r+d%&?=:${Math.random().toString(36).slice(2)}` });

/**
 * The JVM's driver, as Debian's packages `libpostgresql-jdbc-java` and `libscram-java` install it, unless `PGJDBC` names another one.
 * Without it and a JDK, only `test/unit/service/uri.test.ts` checks the URIs, against the driver's documentation.
 */
const classPath = process.env.PGJDBC?.split(':') ?? debian('postgresql', 'scram-client', 'scram-common');

function debian(...jars: string[]): string[] {
  return jars.map((jar) => `/usr/share/java/${jar}.jar`);
}

function hasJava(): boolean {
  try {
    return classPath.every((jar) => existsSync(jar)) && execFileSync('javac', ['-version'], { stdio: 'pipe' }) !== null;
  } catch {
    return false;
  }
}

const PROGRAM = `
import java.sql.*;

class Connect {
  public static void main(String[] uris) throws Exception {
    for (String uri : uris) {
      try (Connection connection = DriverManager.getConnection(uri)) {
        String sql = "SELECT current_user || ' ' || current_database() || ' ' || ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
          for (int count = 0; count < 10; count++) statement.executeQuery().next();
        }
        try (ResultSet rows = connection.createStatement().executeQuery(sql)) {
          rows.next();
          System.out.println(rows.getString(1));
        }
        try (ResultSet rows = connection.createStatement().executeQuery("SELECT count(*) FROM pg_prepared_statements")) {
          rows.next();
          System.out.println(rows.getInt(1) > 0 ? "prepared" : "not prepared");
        }
      }
    }
  }
}
`;

it.skipIf(!hasJava())(
  `the JVM's driver (${classPath[0]}) connects with both URIs, and prepares only without a pooler`,
  async () => {
    const { outputs } = await scene.succeeds({ inputs: { branch_name: 'jvm', prisma: 'true' } });
    const folder = mkdtempSync(join(tmpdir(), 'jdbc-'));
    try {
      const file = join(folder, 'Connect.java');
      writeFileSync(file, PROGRAM);
      const uris = [outputs.jdbc_url ?? '', outputs.jdbc_url_pooled ?? ''];
      const { stdout } = await promisify(execFile)('java', ['-cp', classPath.join(':'), file, ...uris]);
      const who = 'neondb_owner neondb true';
      expect(stdout.trim().split('\n')).toEqual([who, 'prepared', who, 'not prepared']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
