package source

import (
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/model"
)

// LoadOptions describes the data that a trained run is used on.
type LoadOptions struct {
	Data    string // path of the data; empty for the training data
	Set     string // set to read if the path holds several; empty for the set of the training
	Format  string
	Nodes   tables.Files // node files of tables; empty for the names of the training, if any
	Context string       // tables whose edges the model sees in addition to those of Data but does not score; ContextTraining for the training tables
	// SMILES is the column of a table of molecules; empty for the column of the training, or one found
	// by convention. OnInvalid says what happens to rows that are not molecules; empty for the setting
	// of the training.
	SMILES, OnInvalid string
	// KeepColumns keeps the columns of the table files (Part.Own).
	KeepColumns bool
	// Toolkit reads molecules; nil for none.
	Toolkit chem.Toolkit
	Threads int
	// MaxMemory is the memory, in bytes, that reading the data may use, and that the model may use for
	// a batch. 0 means the bound of data.NewBudget for the data, and the free memory for the model.
	MaxMemory int64
	// Kept is the context that is cached between uses of the run.
	Kept *KeptContext
	// RowsAlone says that only predictions or embeddings of the edges of Data are needed, not the graph around them.
	// Then Rows is the model of the run.
	RowsAlone bool
	Rows      model.Model
}

// ContextTraining is the value of LoadOptions.Context for the training tables.
const ContextTraining = "training"
