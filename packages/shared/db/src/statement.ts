import { sql } from 'slonik';
import { z } from 'zod';

/** For SQL whose rows are not read: a write, a lock, or what `exists` asks. Everything else names the type of its rows. */
export const statement = sql.type(z.object({}));
