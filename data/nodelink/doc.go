// Package nodelink reads graphs in the node-link JSON of NetworkX into a tables.Set, so
// that they are split, encoded and learned from as tables of nodes and edges are.
//
// # Format
//
// A document is one graph, as networkx.node_link_data writes it:
//
//	{"directed": false, "multigraph": false, "graph": {"label": "toxic"},
//	 "nodes": [{"id": 0, "element": "C"}, {"id": 1, "element": "O"}],
//	 "edges": [{"source": 0, "target": 1, "order": 2}]}
//
// "edges" is called "links" by NetworkX before 3.6, and in D3; both are read. Without
// "directed" a graph is undirected. Other members of a document are attributes of the
// graph, like those in "graph". A text holds one document, an array of documents, or one
// document after another (one a line: NDJSON), and may be gzipped. NaN, which Python
// writes, is null.
//
// An id is a string, a number or a list of these (a tuple in Python). Ids are typed: 1
// and "1" are two nodes, 1 and 1.0 one, as in Python. They count within their document.
// Where no node of a document has an id, nodes are called by their places, from 0, as in
// early versions of D3.
// Each entry of the edges is an edge of its own, also when several join the same nodes;
// the "key" by which a multigraph tells them apart is no attribute.
//
// # Columns
//
// An attribute of nodes or of edges becomes a column with a row per node or edge,
// missing where a node lacks it or has null or "". Numbers make a numeric column;
// strings and booleans are categories. A string among numbers is an error, unless the
// option Categories names the attribute. A list of numbers, of one length throughout,
// becomes the columns name_0, name_1, ...; a list of texts, or of whole numbers where the
// lengths differ, is a text as tables have it, which is read as a set; any other nested
// value is left out with a note.
//
// # Labels
//
// What is predicted is the attribute that the option Label names, of the graphs, else
// of the edges, else of the nodes, or of those that the option Level says. Without a
// name it is the first one called label, class, y, target or targets. Several names, and
// lists, are several numbers per graph. Attributes of graphs that are no label are not
// used, but for id or name, which name the graphs where they tell them apart.
//
// # Reading
//
//	Documents -> *Document     one graph after another, from a stream
//	Document.Set, Read, Open -> *tables.Set
//
// Errors are *data.ParseError with the line and say which document, node or edge is
// wrong. What reading takes is bounded by Options.MaxMemory, and nesting by a fixed depth.
package nodelink
