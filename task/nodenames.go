package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// nodesFile of a run folder lists the names of nodes that have vectors, in their order.
const nodesFile = "nodes.json"

// trainedNames are the names of the nodes that the model has vectors for; nil for none.
func (s *Session) trainedNames() ([]string, error) {
	c, ok := s.Data.(*columnData)
	if !ok || s.Settings.Model.NodeVectors == nil {
		return nil, nil
	}
	split, err := c.set.Split(s.Settings.Split.ofEdges())
	if err != nil {
		return nil, err
	}
	return c.namedNodes(split), nil
}

// writeNodeNames writes nodesFile, if the model has vectors of nodes.
func (s *Session) writeNodeNames(dir string) error {
	names, err := s.trainedNames()
	if err != nil || names == nil {
		return err
	}
	return atomicfile.WriteJSON(filepath.Join(dir, nodesFile), names)
}

// readNodeNames reads nodesFile, which must have as many names as the model has vectors.
func readNodeNames(dir string, s *Settings) ([]string, error) {
	v := s.Model.NodeVectors
	if v == nil {
		return nil, nil
	}
	path := filepath.Join(dir, nodesFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("task: run %s has vectors of nodes, and there is no %s in it", dir, nodesFile)
	}
	if err != nil {
		return nil, fmt.Errorf("task: run folder: %w", err)
	}
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		return nil, fmt.Errorf("task: %s: %w", path, otherKind(err))
	}
	if len(names) != v.Nodes {
		return nil, fmt.Errorf("task: %s has %d names of nodes, expected %d, as many as the model has vectors", path, len(names), v.Nodes)
	}
	if is := digest(mustJSON(names)); is != s.Data.Tables.NodeNames {
		return nil, fmt.Errorf("task: %s is of another run: its names have digest %s, expected %s", path, is, s.Data.Tables.NodeNames)
	}
	return names, nil
}
