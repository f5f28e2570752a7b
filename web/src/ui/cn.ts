import { type ClassValue, clsx } from 'clsx'
import { twMerge } from 'tailwind-merge'

/**
 * Joins class names; of two that set the same property the later one wins, so a caller can override a primitive. The
 * library knows every class of Tailwind (decision 0033).
 */
export function cn(...classes: ClassValue[]): string {
  return twMerge(clsx(classes))
}
