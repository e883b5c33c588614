package kernel

import (
	"os"
	"syscall"
	"unsafe"
)

var pageRegions [][]uint32

// pages returns region i of pageWords words between two pages that cannot be read, or nil if the
// system cannot provide one.
func pages(i int) []uint32 {
	page := os.Getpagesize()
	for len(pageRegions) <= i {
		all, err := syscall.Mmap(-1, 0, 4*pageWords+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			return nil
		}
		for _, edge := range [][]byte{all[:page], all[len(all)-page:]} {
			if syscall.Mprotect(edge, syscall.PROT_NONE) != nil {
				return nil
			}
		}
		inside := all[page : len(all)-page]
		pageRegions = append(pageRegions, unsafe.Slice((*uint32)(unsafe.Pointer(&inside[0])), pageWords))
	}
	return pageRegions[i]
}
