package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/data/fetch"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/task"
)

// column finds a data set of a grid: a path, a name in the data folder, or a known
// set there under any spelling.
func (a *app) column(name string) (task.Column, error) {
	path, err := a.locate(name)
	if err == nil {
		return task.Column{Path: path}, nil
	}
	set, ok := fetch.Lookup(name)
	if !ok || a.dataDir == "" {
		return task.Column{}, err
	}
	at, one, ok := a.inDataFolder(set)
	if !ok {
		return task.Column{}, fmt.Errorf("%w; get it with: ehgnn data fetch %s", err, set.Name)
	}
	return task.Column{Name: set.Name, Path: at, Set: one}, nil
}

// known is a path itself, or where a set of that name lies in the data folder, with the
// set's name where several lie there.
func (a *app) known(path string) (at, name string, err error) {
	if _, err := os.Stat(path); err == nil {
		return path, "", nil
	}
	set, ok := fetch.Lookup(path)
	if !ok {
		if at, err := a.locate(path); err == nil {
			return at, "", nil
		}
		return path, "", nil // whose error says that there is none
	}
	if at, name, ok = a.inDataFolder(set); !ok {
		return "", "", usage(fmt.Errorf("%s is neither here nor in the data folder %s; get it with: ehgnn data fetch %s", path, a.dataDir, path))
	}
	return at, name, nil
}

// inDataFolder is where a known set lies, with its name where the folder holds
// several.
func (a *app) inDataFolder(set fetch.Set) (at, name string, ok bool) {
	if set.Format == planetoid.Format {
		name = set.Name
	}
	at, ok = set.Locate(a.dataDir)
	return at, name, ok
}

// locate finds a data set by path, or by name in the data folder.
func (a *app) locate(name string) (string, error) {
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if a.dataDir != "" && name != "" {
		for _, dir := range []string{"tu", "dgcnn", "zinc12k", ""} {
			for _, file := range []string{name + ".zip", name} {
				path := filepath.Join(a.dataDir, dir, file)
				if _, err := os.Stat(path); err == nil {
					return path, nil
				}
			}
		}
		if path := filepath.Join(a.dataDir, "zinc12k"); strings.EqualFold(name, "zinc") && isDir(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("no data set %q: there is no such path, and the data folder %s (--data-dir or EHGNN_DATA) has no %s or %s.zip, nor have its folders tu, dgcnn and zinc12k",
		name, a.dataDir, name, name)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
