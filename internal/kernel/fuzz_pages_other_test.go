//go:build !linux

package kernel

func pages(int) []uint32 { return nil }
