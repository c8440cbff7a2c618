      * CUSTOMERS, RECFM VB: NOTE ENDS WITH THE RECORD
       01  CUSTOMER.
           05  ID             PIC 9(7).
           05  NAME           PIC X(20).
           05  ADDRESS        PIC X(24).
           05  BALANCE        PIC S9(7)V99 COMP-3.
           05  NOTE           PIC X(20).
