import nodemailer from 'nodemailer'
import type { Task } from './contender.ts'
import { BODY, FROM, recipient } from './mail.ts'

export function makePool({ port, connections }: Task) {
  return nodemailer.createTransport({
    host: '127.0.0.1',
    port,
    pool: true,
    maxConnections: connections,
    maxMessages: Number.POSITIVE_INFINITY,
    ignoreTLS: true,
  })
}

export async function send(pool: ReturnType<typeof makePool>, index: number): Promise<void> {
  await pool.sendMail({ from: FROM, to: recipient(index), subject: 'a signal', text: BODY })
}
