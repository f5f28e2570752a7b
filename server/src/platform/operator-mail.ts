import * as z from 'zod'
import { defineJob } from './queue.ts'

/**
 * Tells the operator something by plain mail, tried for about four days: `enqueue(tx, operatorMail, { subject, text })`
 * in the transaction that gives the reason. While OPERATOR_EMAIL is empty nobody is told, so what must not be missed is
 * kept in a table too. The subject holds words of ours alone; what people typed stands in the text.
 */
export const operatorMail = defineJob('operator-mail', z.object({ subject: z.string(), text: z.string() }))
