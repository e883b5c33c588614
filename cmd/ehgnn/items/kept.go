package items

import (
	"path/filepath"
	"sync"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/session"
)

// Kept is the stored predictions of a run folder for many to look at. It may be used by any
// number of goroutines.
type Kept struct {
	Dir string

	mu  sync.Mutex
	of  atomicfile.Stamp
	set *Set
}

// Set is the predictions that the folder has, read when they are first asked for and when they
// have changed; ErrNone where there are none.
func (k *Kept) Set() (*Set, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now, err := atomicfile.StampOf(filepath.Join(k.Dir, session.PredictionsFile))
	if err == nil && k.set != nil && now == k.of {
		return k.set, nil
	}
	set, err := Open(k.Dir)
	if err != nil {
		return nil, err
	}
	k.of, k.set = now, set
	return set, nil
}
