// Package source reads data of one kind each (tables, node-link documents, molecules, collections
// of graphs), divides them into parts and names their items.
//
// It imports settings and the packages below data. It describes a task by a value, settings.Kind,
// and a model only by its form of graphs (Form).
//
// A new source is a file with a Source and an entry of the registry in source.go.
package source
