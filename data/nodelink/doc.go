// Package nodelink reads graphs in the node-link JSON of NetworkX into a tables.Set. They are then
// split, encoded and used for learning like tables of nodes and edges.
//
// # Format
//
// A document is one graph, as networkx.node_link_data writes it:
//
//	{"directed": false, "multigraph": false, "graph": {"label": "toxic"},
//	 "nodes": [{"id": 0, "element": "C"}, {"id": 1, "element": "O"}],
//	 "edges": [{"source": 0, "target": 1, "order": 2}]}
//
// NetworkX before 3.6 and D3 call "edges" "links"; both names are read. Without "directed" a graph
// is undirected. Other members of a document are attributes of the graph, like those in "graph". A
// text has one document, an array of documents, or one document after another (one per line:
// NDJSON). It may be gzipped. NaN, which Python writes, is null.
//
// An id is a string, a number or a list of these (a tuple in Python). Ids are typed: 1 and "1" are
// two nodes, 1 and 1.0 are one node, as in Python. An id is only valid in its document. If no node
// of a document has an id, the ids are the positions of the nodes, from 0, as in early versions of
// D3. Each entry of the edges is an edge of its own, also if several join the same nodes. The "key"
// of an edge in a multigraph is not an attribute.
//
// # Columns
//
// An attribute of nodes or of edges becomes a column with a row per node or edge. The value is
// missing if the attribute is missing, null or "". Numbers make a numeric column. Strings and
// booleans are categories. A string among numbers is an error, unless the option Categories names
// the attribute. A date and a time of day in two attributes of edges whose names are a pair, Date and
// Time, are one time. Lists of numbers that all have the same length become the columns name_0, name_1,
// ... Lists of texts, or of whole numbers with different lengths, become texts that are read as
// sets, as in tables. Any other nested value is left out with a note.
//
// # Labels
//
// The option Label names the attribute to predict. It is an attribute of the graphs, else of the
// edges, else of the nodes, or of the level in the option Level. Without a name it is the first one
// called label, class, y, target or targets. Several names, and lists, are several numbers per
// graph. Attributes of graphs that are not a label are not used, except id or name, which name the
// graphs if all values differ.
//
// # Reading
//
//	Documents -> *Document     one graph after another, from a stream
//	Join, Read, Open -> *tables.Set
//
// Errors are *data.ParseError with the line. They say which document, node or edge is wrong.
// Options.MaxMemory bounds the memory of reading, and a constant bounds the nesting.
package nodelink
