/** Runs SQL on the database in DATABASE_URL: `node tools/jobs/sql.ts "SELECT 1"`. */
import { connect } from '../demo/shop.ts';

const [, , sql = ''] = process.argv;
await connect(process.env.DATABASE_URL ?? '', (client) => client.query(sql));
console.log('done');
