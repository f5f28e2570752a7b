import { Button } from '../ui/button.tsx'
import { Drawer, DrawerClose, DrawerContent, DrawerDescription, DrawerTitle } from '../ui/drawer.tsx'

export function DrawerSample({ onClose }: { onClose: () => void }) {
  return (
    <Drawer defaultOpen onClose={onClose}>
      <DrawerContent>
        <div className="space-y-3 p-6">
          <DrawerTitle>A bottom sheet</DrawerTitle>
          <DrawerDescription>Drag it down, press Escape, or press Close.</DrawerDescription>
          <DrawerClose asChild>
            <Button variant="outline">Close</Button>
          </DrawerClose>
        </div>
      </DrawerContent>
    </Drawer>
  )
}
