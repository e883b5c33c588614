package explain

import (
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// The small heaps of tests are collected seldom: collecting takes a fifth of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// quick are settings with which a run takes no time.
func quick() settings.Values {
	return settings.Values{"epochs": 2, "hidden": 16, "constant-lr": true}
}

// mustOpen is session.Open of a request that must be right.
func mustOpen(t *testing.T, r session.Request) *session.Session {
	t.Helper()
	s, err := session.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// trained is a finished run.
func trained(t *testing.T, r session.Request) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	if _, err := mustOpen(t, r).Train(t.Context(), session.TrainOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}
