package items

import (
	"path/filepath"
	"sync"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/session"
)

// Kept caches the stored predictions of a run folder. Several goroutines may use it.
type Kept struct {
	Dir string

	mu  sync.Mutex
	of  atomicfile.Stamp
	set *Set
}

// Set returns the predictions of the folder. It reads them when they are first needed and when they
// have changed; ErrNone if there are none.
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
