import { CircleAlert, CircleCheck } from 'lucide-react'
import { type Toast, useToaster } from 'react-hot-toast/headless'
import { cn } from '../ui/cn.ts'
import { Spinner } from '../ui/spinner.tsx'

/**
 * Draws the toasts bottom-centre (docs/specification.md section 2). No duration is set here: it would also shorten errors and
 * end loading toasts (rule G-57). Pointing at them stops their clocks.
 */
export function Toaster() {
  const { toasts, handlers } = useToaster()
  return (
    <div
      data-slot="toaster"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-[60] flex peer-data-[online=false]:bottom-18 flex-col items-center gap-2"
      onPointerEnter={handlers.startPause}
      onPointerLeave={handlers.endPause}
    >
      {toasts.map((toast) => (
        <div
          key={toast.id}
          {...toast.ariaProps}
          data-slot="toast"
          className={cn(
            'toast-motion pointer-events-auto flex max-w-md items-start gap-3 rounded-lg border border-border bg-card px-4 py-3 text-sm text-card-foreground shadow-xl',
            toast.visible ? 'opacity-100' : 'pointer-events-none opacity-0',
          )}
        >
          <ToastIcon type={toast.type} />
          <span className="wrap-anywhere">
            {typeof toast.message === 'function' ? toast.message(toast) : toast.message}
          </span>
        </div>
      ))}
    </div>
  )
}

function ToastIcon({ type }: { type: Toast['type'] }) {
  const place = 'mt-0.5 size-4 shrink-0'
  if (type === 'success') return <CircleCheck aria-hidden="true" className={cn(place, 'text-foreground')} />
  if (type === 'error') return <CircleAlert aria-hidden="true" className={cn(place, 'text-destructive')} />
  if (type === 'loading') return <Spinner className={place} />
  return null
}
