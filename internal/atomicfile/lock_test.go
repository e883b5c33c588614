package atomicfile_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

func TestLock(t *testing.T) {
	dir := t.TempDir()
	release, err := atomicfile.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	var held *atomicfile.HeldError
	if _, err := atomicfile.Lock(dir); !errors.As(err, &held) || held.Dir != dir || !strings.HasPrefix(held.By, fmt.Sprintf("process %d on ", os.Getpid())) {
		t.Errorf("a second lock: %v", err)
	}
	release()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if release, err = atomicfile.Lock(dir); err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := atomicfile.Lock(dir + "/none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// Only one goroutine at a time has the lock of a folder, however often it is released and taken.
func TestLockAlone(t *testing.T) {
	dir := t.TempDir()
	var holders, taken atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				release, err := atomicfile.Lock(dir)
				if err != nil {
					continue
				}
				taken.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold it", n)
				}
				holders.Add(-1)
				release()
			}
		})
	}
	all.Wait()
	if taken.Load() == 0 {
		t.Error("nobody got it")
	}
}
