import * as z from 'zod'
import { defineJob } from '../work/jobs.ts'

/** Mails those whose subscriptions renew tomorrow, in UTC. */
export const announceRenewals = defineJob('announce-renewals', z.unknown())
