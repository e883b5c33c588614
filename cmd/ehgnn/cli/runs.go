package cli

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// runs caches the last run folder, for a command that uses it in several steps and for a worker
// whose commands use it one after another.
type runs struct {
	mu    sync.Mutex
	run   *session.Run
	files [2]os.FileInfo // files that the run was read from
}

// load returns the run of a folder, which it reads again if its files have changed.
func (k *runs) load(dir string) (*session.Run, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var files [2]os.FileInfo
	for i, name := range []string{session.ModelFile, settings.ConfigFile} {
		files[i], _ = os.Stat(filepath.Join(dir, name)) // LoadRun reports a missing file
	}
	if k.run != nil && k.run.Dir == dir && same(files[0], k.files[0]) && same(files[1], k.files[1]) {
		return k.run, nil
	}
	r, err := session.LoadRun(dir)
	if err != nil {
		return nil, usage(err)
	}
	k.run, k.files = r, files
	return r, nil
}

// same reports whether a file exists and has not changed.
func same(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
